/** Settings of a service that mails links. By default no relay answers it. */
export const mailLinkSettings = (relayPort = 1) => ({
  MAIL_URL: `smtp://127.0.0.1:${relayPort}`,
  MAIL_FROM: 'Otterworks <noreply@example.com>',
  MAIL_CONTACT: 'help@example.com',
  ACCOUNT_PAGES: 'on',
  KEY_ENCRYPTION_KEY: `one:${'1'.repeat(64)}`,
})

export const ON_ITS_WAY = {
  success: true,
  code: 100,
  message: 'If there is an account, a mail is on its way.',
}
