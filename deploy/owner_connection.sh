# Sourced by backup.sh and restore.sh: moves the password from DATABASE_OWNER_URL to PGPASSWORD, because every user of the
# machine can see the arguments of programs.
server=${DATABASE_OWNER_URL#*://}
server=${server%%/*}
case $server in
  *@*)
    login=${server%%@*}
    case $login in
      *:*)
        encoded=${login#*:}
        # `%40` is `@` in an address; PGPASSWORD is taken as it is.
        PGPASSWORD=$(encoded=$encoded LC_ALL=C awk 'BEGIN {
          text = ENVIRON["encoded"]
          while (match(text, /%[0-9A-Fa-f][0-9A-Fa-f]/)) {
            digits = tolower(substr(text, RSTART + 1, 2))
            code = 16 * (index("0123456789abcdef", substr(digits, 1, 1)) - 1)
            code += index("0123456789abcdef", substr(digits, 2, 1)) - 1
            printf "%s%c", substr(text, 1, RSTART - 1), code
            text = substr(text, RSTART + 3)
          }
          printf "%s", text
        }')
        export PGPASSWORD
        DATABASE_OWNER_URL=${DATABASE_OWNER_URL%%://*}://${login%%:*}${DATABASE_OWNER_URL#*://"$login"}
        ;;
    esac
    ;;
esac
