import { startMailbox } from './mailbox.ts'

/** A mailbox for development: prints every mail that it gets at smtp://127.0.0.1:2525 (SMTP_PORT). */
const { port } = await startMailbox(Number(process.env.SMTP_PORT ?? 2525), ({ to, headers, text }) => {
  process.stdout.write(`To: ${to.join(', ')}\nSubject: ${headers.subject}\n\n${text}\n`)
})
process.stdout.write(`The mailbox listens at smtp://127.0.0.1:${port}.\n\n`)
