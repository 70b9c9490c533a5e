#!/bin/sh
# Runs a portcullis command with the user, settings, secrets and folder of the systemd unit. Only root may run it.
set -eu
exec systemd-run --quiet --pipe --wait --collect --service-type=exec \
  --setenv=OPERATOR --setenv=SUDO_USER \
  --property=User=portcullis \
  --property=StateDirectory=portcullis \
  --property=StateDirectoryMode=0700 \
  --property=WorkingDirectory=/var/lib/portcullis \
  --property=UMask=0077 \
  --property='Environment=NODE_ENV=production PASSWORD_POLICY=nist THROTTLE_APPLICATION_TOKENS=600 THROTTLE_REGISTRATIONS=60' \
  --property=EnvironmentFile=/etc/portcullis/portcullis.env \
  --property=LoadCredential=password-pepper:/etc/portcullis/password-pepper \
  --property=LoadCredential=key-encryption-key:/etc/portcullis/key-encryption-key \
  -- /bin/sh -ec '
    test -n "$PASSWORD_PEPPER_FILE" || export PASSWORD_PEPPER_FILE="$CREDENTIALS_DIRECTORY/password-pepper"
    test -n "$KEY_ENCRYPTION_KEY_FILE" || export KEY_ENCRYPTION_KEY_FILE="$CREDENTIALS_DIRECTORY/key-encryption-key"
    exec /opt/portcullis/dist/adapters/main.js "$@"' portcullis "$@"
