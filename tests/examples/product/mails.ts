import { createTransport } from 'nodemailer'

const { SMTP_URL, PORT } = process.env
const transport = createTransport(SMTP_URL, { from: 'hilfe@shop.test' })

/** Sends the link behind the answer to the browser, whose time then does not tell whether there is an account. */
export const mailLink = (address: string, token: string): void => {
  const text = `Mit diesem Link setzen Sie ein neues Passwort:\n\nhttp://127.0.0.1:${PORT}/recovery?token=${token}\n`
  transport
    .sendMail({ to: { name: '', address }, subject: 'Ihr neues Passwort', text })
    .catch(({ code }) => process.stderr.write(`A mail was not sent: ${code}\n`))
}
