import type { FirstAccounts } from '../../application/accounts/first-run.ts'

/**
 * The output of a first run: its secrets, the page to sign in, and calls of the main routes to paste into a POSIX shell with curl and sed.
 *
 * @param signIn the URL of the page, if the service has pages
 */
export const curlLines = (
  { publicApiKey, privateApiKey, email, password }: FirstAccounts,
  { baseUrl, signIn }: Readonly<{ baseUrl: string; signIn: string | undefined }>,
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
    'The store was empty. The server made an application and a user.',
    'Save their secrets now. They are shown only once:',
    '',
    `  public_api_key   ${publicApiKey}`,
    `  private_api_key  ${privateApiKey}`,
    `  email            ${email}`,
    `  password         ${password}`,
    '',
    ...(signIn === undefined
      ? []
      : [
          'Open this page in a browser, and sign in with the e-mail and the password:',
          '',
          `  ${signIn}`,
          '',
        ]),
    'Paste these lines into another terminal:',
    '',
    '# 1. get an application token for the API keys',
    `APP_TOKEN=$(${post('/api/v1/auth/application/token', { public_api_key: publicApiKey, private_api_key: privateApiKey })} | ${token}); echo "$APP_TOKEN"`,
    '',
    '# 2. sign the user in',
    `USER_TOKEN=$(${post('/api/v1/auth/user/token', { email, password }, 'Authorization: Bearer $APP_TOKEN')} | ${token}); echo "$USER_TOKEN"`,
    '',
    '# 3. read the profile of the user',
    `curl -s ${baseUrl}/api/v1/profile -H "${asUser}"; echo`,
    '',
    '# 4. change the password with errors in all fields (422, codes 2, 4 and 5)',
    `${post(
      '/api/v1/profile/change_password',
      { old_password: 'wrong', new_password: '', new_password_check: 'other' },
      asUser,
    )}; echo`,
    '',
    `# 5. change the password (200, code 100) to ${newPassword}`,
    `${post(
      '/api/v1/profile/change_password',
      { old_password: password, new_password: newPassword, new_password_check: newPassword },
      asUser,
    )}; echo`,
    '',
  ]
}
