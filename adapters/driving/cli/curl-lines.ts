import type { FirstAccounts } from '../../../application/first-run.ts'

/**
 * What a first run shows, once: the secrets it made, and the whole contract as lines that can be pasted into any
 * POSIX shell with curl and sed.
 */
export const curlLines = (
  { publicApiKey, privateApiKey, email, password }: FirstAccounts,
  baseUrl: string,
): ReadonlyArray<string> => {
  const post = (path: string, body: object, ...headers: ReadonlyArray<string>) =>
    [
      `curl -s ${baseUrl}${path}`,
      ...headers.map((header) => `-H "${header}"`),
      `-H 'Content-Type: application/json'`,
      `-d '${JSON.stringify(body)}'`,
    ].join(' ')
  const token = `sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p'`
  const asUser = 'Authorization: Bearer $USER_TOKEN'
  const newPassword = `${password}-changed` // long enough for any policy

  return [
    'This store was empty, so an application and a user were made.',
    'Their secrets are shown this once; they are kept nowhere:',
    '',
    `  public_api_key   ${publicApiKey}`,
    `  private_api_key  ${privateApiKey}`,
    `  email            ${email}`,
    `  password         ${password}`,
    '',
    'Paste these, one after the other, into another terminal:',
    '',
    '# 1. an application token for the key pair',
    `APP_TOKEN=$(${post('/api/v1/auth/application/token', { public_api_key: publicApiKey, private_api_key: privateApiKey })} | ${token}); echo "$APP_TOKEN"`,
    '',
    '# 2. the application signs the user in',
    `USER_TOKEN=$(${post('/api/v1/auth/user/token', { email, password }, 'Authorization: Bearer $APP_TOKEN')} | ${token}); echo "$USER_TOKEN"`,
    '',
    '# 3. whose token it is',
    `curl -s ${baseUrl}/api/v1/profile -H "${asUser}"; echo`,
    '',
    '# 4. a password change that fails in every field at once (422, codes 2, 4 and 5)',
    `${post(
      '/api/v1/profile/change_password',
      { old_password: 'wrong', new_password: '', new_password_check: 'other' },
      asUser,
    )}; echo`,
    '',
    `# 5. one that succeeds (200, code 100): from then on the password is ${newPassword}`,
    `${post(
      '/api/v1/profile/change_password',
      { old_password: password, new_password: newPassword, new_password_check: newPassword },
      asUser,
    )}; echo`,
    '',
  ]
}
