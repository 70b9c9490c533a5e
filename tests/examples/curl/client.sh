#!/bin/sh
# A Portcullis client in a shell. The application registers a user and signs the user in.
# The user reads the profile, changes the password and signs out.
# Input comes from the environment. No argument contains a secret, so `ps` shows none.
set -eu
: "${PORTCULLIS_URL:=http://127.0.0.1:8080}"
: "${PUBLIC_API_KEY:?}" "${PRIVATE_API_KEY:?}" "${EMAIL:?}" "${PASSWORD:?}" "${NEW_PASSWORD:?}"

fail() { echo "$1" >&2 && exit 2; }
[ "$(command -v printf)" = printf ] || fail 'printf is a program here, whose arguments ps would show: take another shell'
case $PUBLIC_API_KEY$PRIVATE_API_KEY$EMAIL$PASSWORD$NEW_PASSWORD in
  *[[:cntrl:]]*) fail 'this script cannot send control characters' ;;
esac

# A text in double quotes, escaped for JSON and for a curl configuration.
quoted() { printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"; }

# The curl configuration of a request: METHOD PATH TOKEN BODY.
settings() {
  printf 'request = "%s"\nurl = "%s%s"\n' "$1" "$PORTCULLIS_URL" "$2"
  if [ -n "$3" ]; then printf 'header = "Authorization: Bearer %s"\n' "$3"; fi
  if [ -n "$4" ]; then printf 'header = "Content-Type: application/json"\ndata-raw = %s\n' "$(quoted "$4")"; fi
}

# Sends the request METHOD PATH TOKEN BODY and prints the response, a failure to standard error.
ask() {
  answer=$(settings "$@" | curl --silent --show-error --fail-with-body --max-time 30 --config -) || {
    printf '%s %s: %s\n' "$1" "$2" "$answer" >&2
    return 1
  }
  printf '%s\n' "$answer"
}

# The token in a response.
token_in() { printf %s "$1" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p'; }

keys='{"public_api_key":'$(quoted "$PUBLIC_API_KEY")',"private_api_key":'$(quoted "$PRIVATE_API_KEY")'}'
issued=$(ask POST /api/v1/auth/application/token '' "$keys")
application=$(token_in "$issued")

user='{"email":'$(quoted "$EMAIL")',"password":'$(quoted "$PASSWORD")'}'
ask POST /api/v1/users "$application" "$user" || echo 'Not registered: signing in all the same.' >&2
signed_in=$(ask POST /api/v1/auth/user/token "$application" "$user")
token=$(token_in "$signed_in")

ask GET /api/v1/profile "$token" ''
new=$(quoted "$NEW_PASSWORD")
change='{"old_password":'$(quoted "$PASSWORD")',"new_password":'$new',"new_password_check":'$new'}'
ask POST /api/v1/profile/change_password "$token" "$change"
ask DELETE /api/v1/auth/user/token "$token" ''
