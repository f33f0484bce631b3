"""The headings that HR systems give to columns about people, in English, German, French and Spanish.

They are written in the form of `heading_key`: without case, accents and punctuation. Where two columns match one field,
the one whose heading comes earlier here is used.
"""

from enum import StrEnum


class Field(StrEnum):
    """What a column may state about a person."""

    EMAIL = "email"
    NUMBER = "number"
    NAME = "name"
    FIRST_NAME = "first_name"
    LAST_NAME = "last_name"
    TEAM = "team"
    ROLES = "roles"
    STARTS = "starts"
    LEAVES = "leaves"
    STATUS = "status"


LABELS = {
    Field.EMAIL: "E-mail address",
    Field.NUMBER: "Employee number",
    Field.NAME: "Full name",
    Field.FIRST_NAME: "First name",
    Field.LAST_NAME: "Last name",
    Field.TEAM: "Team",
    Field.ROLES: "Roles",
    Field.STARTS: "First day",
    Field.LEAVES: "Last day",
    Field.STATUS: "Status",
}
"""The fields in words."""

HEADINGS: dict[Field, tuple[str, ...]] = {
    Field.EMAIL: (
        "work email", "email work", "primary work email", "email primary work", "work e mail", "business email",
        "business e mail", "company email", "corporate email", "office email", "email", "e mail", "mail",
        "email address", "e mail address", "emailaddress", "work email address", "primary email", "email id",
        "dienstliche e mail", "dienstliche email", "dienstliche e mail adresse", "e mail dienstlich",
        "e mail geschaftlich", "geschaftliche e mail", "geschaftliche e mail adresse", "e mail adresse",
        "email adresse", "emailadresse", "mailadresse", "firmen e mail", "e mail arbeit",
        "adresse e mail professionnelle", "adresse email professionnelle", "e mail professionnel",
        "email professionnel", "courriel professionnel", "adresse e mail", "adresse email", "adresse mail", "courriel",
        "adresse electronique", "adresse courriel", "mail professionnel", "mel",
        "correo corporativo", "correo electronico corporativo", "email corporativo", "correo electronico",
        "direccion de correo electronico", "direccion de correo", "direccion de email", "correo de empresa", "correo",
        "correo e", "account email", "user principal name", "userprincipalname", "upn", "user name", "username",
    ),
    Field.NUMBER: (
        "employee number", "employee no", "employee nr", "employee num", "employee id", "employeeid",
        "employeenumber", "emp id", "emp no", "staff number", "staff no", "staff id", "personnel number",
        "personnel no", "personnel id", "payroll number", "payroll id", "worker id", "worker number", "person number",
        "associate id", "personalnummer", "personal nr", "pers nr", "persnr", "personalnr", "personal nummer",
        "mitarbeiternummer", "mitarbeiter nr", "mitarbeiternr", "mitarbeiter nummer", "mitarbeiter id", "ma nr",
        "id mitarbeiter", "matricule", "numero matricule", "numero de matricule", "no matricule", "n matricule",
        "matricule salarie", "numero d employe", "numero employe", "n employe", "no employe", "id employe",
        "numero de salarie", "numero salarie", "n salarie", "identifiant salarie", "matricula", "numero de empleado",
        "numero empleado", "num empleado", "n de empleado", "no de empleado", "n empleado", "no empleado",
        "id empleado", "id de empleado", "codigo de empleado", "codigo empleado", "numero de personal", "legajo",
        "numero de trabajador", "id",
    ),
    Field.NAME: (
        "full name", "fullname", "employee name", "display name", "displayname", "worker name", "person name",
        "legal name", "preferred name", "name", "employee", "worker", "person", "vollstandiger name", "mitarbeitername",
        "name des mitarbeiters", "vor und nachname", "vorname nachname", "vorname und nachname", "anzeigename",
        "mitarbeiter", "mitarbeiterin", "mitarbeiter in", "mitarbeitende", "mitarbeitender", "nom complet",
        "prenom nom", "prenom et nom", "nom affiche", "salarie", "employe", "collaborateur", "nom", "nombre completo",
        "nombre y apellidos", "nombre y apellido", "nombre apellidos", "empleado", "trabajador", "nombre",
        "last name first name", "surname first name", "name vorname", "nachname vorname", "nom prenom", "nom et prenom",
        "nom prenoms", "apellidos y nombre", "apellidos nombre", "apellidos y nombres", "apellido y nombre",
    ),
    Field.FIRST_NAME: (
        "first name", "firstname", "first", "given name", "givenname", "given names", "forename", "legal first name",
        "preferred first name", "vorname", "vornamen", "rufname", "prenom", "prenoms", "prenom usuel",
        "nombre de pila", "primer nombre", "nombres",
    ),
    Field.LAST_NAME: (
        "last name", "lastname", "last", "surname", "family name", "familyname", "legal last name",
        "preferred last name", "nachname", "familienname", "zuname", "nom de famille", "nom usuel", "nom d usage",
        "apellidos", "apellido", "primer apellido", "segundo apellido",
    ),
    Field.TEAM: (
        "team", "teams", "team name", "team id name", "equipe", "equipes", "equipo", "equipos", "gruppe",
        "department", "departments", "dept", "department name", "departement", "abteilung", "abteilungen",
        "abteilungsname", "departamento", "departamentos", "supervisory organization", "supervisory organisation",
        "org unit", "organizational unit", "organisational unit", "organization unit", "organisation unit",
        "organisationseinheit", "orgeinheit", "oe", "bereich", "fachbereich", "service", "pole", "direction",
        "unite", "unite organisationnelle", "area", "unidad", "unidad organizativa", "seccion", "sector",
        "business unit", "unit", "division", "section",
    ),
    Field.ROLES: (
        "role ids", "roles", "compliance roles", "compliance role", "training roles", "training role", "role id",
        "role", "rollen", "schulungsrollen", "schulungsrolle", "rolle", "rol",
    ),
    Field.STARTS: (
        "start date", "startdate", "hire date", "hiredate", "date of hire", "hired on", "joining date", "date joined",
        "date of joining", "entry date", "employment start", "employment start date", "first day", "first day of work",
        "eintrittsdatum", "eintritt", "datum des eintritts", "einstellungsdatum", "einstellung", "beschaftigungsbeginn",
        "erster arbeitstag", "date d embauche", "date embauche", "date d entree", "date entree", "date de debut",
        "fecha de alta", "fecha alta", "fecha de ingreso", "fecha ingreso", "fecha de contratacion",
        "fecha de incorporacion", "fecha de inicio",
    ),
    Field.LEAVES: (
        "leaving date", "termination date", "end date", "date left", "exit date", "date of leaving", "employment end",
        "employment end date", "last day", "last day of work", "last working day", "austrittsdatum", "austritt",
        "datum des austritts", "letzter arbeitstag", "beschaftigungsende", "date de sortie", "date sortie",
        "date de depart", "date depart", "fecha de baja", "fecha baja", "fecha de salida", "fecha salida",
        "fecha de cese",
    ),
    Field.STATUS: (
        "employment status", "employee status", "worker status", "status", "active status", "active",
        "mitarbeiterstatus", "beschaftigungsstatus", "aktiv", "statut", "statut salarie", "etat", "actif", "estado",
        "situacion", "activo", "estado del empleado",
    ),
}  # fmt: skip
"""Headings by field, each under one field only; `columns` decides what it means beside other headings."""

LAST_NAME_FIRST = frozenset({
    "last name first name", "surname first name", "name vorname", "nachname vorname", "nom prenom", "nom et prenom",
    "nom prenoms", "apellidos y nombre", "apellidos nombre", "apellidos y nombres", "apellido y nombre",
})  # fmt: skip
"""Full names that are written with the last name first."""

NOT_OF_WORK = frozenset({
    "private", "privat", "privee", "prive", "privado", "personal", "personnel", "personnelle", "perso",
    "home", "privata", "particular",
})  # fmt: skip
"""A heading with one of these words is not that of a work address."""

GONE = frozenset({
    "inactive", "terminated", "left", "leaver", "former", "former employee", "ended", "resigned", "retired",
    "deactivated", "ausgeschieden", "inaktiv", "ehemalig", "ehemalige", "ehemaliger", "verlassen", "ausgetreten",
    "pensioniert", "parti", "partie", "sorti", "sortie", "inactif", "retraite", "ancien", "baja",
    "de baja", "inactivo", "inactiva", "cesado", "cesada", "jubilado", "jubilada", "no", "nein", "non", "false", "0",
})  # fmt: skip
"""Values of a status column for somebody who has left. Absences, notice given and unknown values mean nothing."""
