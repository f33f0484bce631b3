"""The only list of columns that hold personal data.

Erasure clears exactly these; a test compares the list with what a search through every table finds."""

PERSONAL_COLUMNS: dict[str, tuple[str, ...]] = {
    "people_identity": ("salt", "person_name", "work_email"),
    "people_profile": ("person_name", "account_email", "work_email"),
    "people_personaldetail": ("person_name", "account_email", "work_email"),
    "people_personroles": ("role_ids",),
    "people_absence": ("reason_code",),
    "people_invitation": ("work_email", "person_name"),
    "people_contact": ("company",),
    "training_trainer": ("trainer_name",),
    "certificates_certificatecorrection": ("person_name",),
    "certificates_issuedname": ("person_name", "salt"),
    "certificates_checkcode": ("check_code",),
    "policies_rawsignature": ("signature", "signer_company"),
    "learning_learnersession": ("device",),
    "learning_learnerpreference": ("language",),
    "learning_answer": ("choices",),
    "provisioning_provisioneduser": ("external_id", "user_name", "attributes"),
    "provisioning_provisionedaddress": ("address",),
    "provisioning_employeenumber": ("employee_number",),
}
