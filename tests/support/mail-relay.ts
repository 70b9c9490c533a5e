import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { RelayAnswer } from '../testkit/mailer.ts'
import { type MailContent, mailContent } from './mail-content.ts'

/** A letter that a relay took. */
export type TakenMail = MailContent & Readonly<{ from: string; to: ReadonlyArray<string> }>

export type MailRelay = Readonly<{
  port: number
  taken: ReadonlyArray<TakenMail>
  /** All bytes that clients sent, as Latin-1, one text for each connection. Without TLS they can be read. */
  received: () => ReadonlyArray<string>
  stop: () => Promise<void>
}>

/** An answer of a relay other than yes: its code, and the text that no one may see. */
export const answering = (code: number, words = 'not for <ada@lovelace.example> today'): Error =>
  Object.assign(new Error(words), { responseCode: code })

/**
 * A real SMTP server.
 *
 * @param answerTo what it does with a letter for this address, or, with '', with the sender. It is asked at `RCPT`, and again after `DATA`
 */
export const startRelay = async (
  options: SMTPServerOptions = {},
  answerTo: (to: string) => RelayAnswer | Promise<RelayAnswer> = () => 'takes',
): Promise<MailRelay> => {
  const taken: Array<TakenMail> = []
  const clientOf = new Map<number | undefined, Socket>()
  const received: Array<() => string> = []
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    ...(options.key === undefined && { disabledCommands: ['STARTTLS'] }),
    onMailFrom: async (_, __, done) => done(refusals[await answerTo('')]),
    onRcptTo: async ({ address }, _, done) => {
      const answer = await answerTo(address)
      done(answer.endsWith('_letter') ? undefined : refusals[answer])
    },
    onData: (stream, { envelope: { mailFrom, rcptTo }, remotePort }, done) => {
      text(stream.setEncoding('latin1')).then(async (raw) => {
        const to = rcptTo.map(({ address }) => address)
        const answer = await answerTo(to[0] ?? '')
        const refusal = refusals[answer]
        if (refusal !== undefined) return done(refusal)
        taken.push({ from: mailFrom === false ? '' : mailFrom.address, to, ...mailContent(raw) })
        if (answer === 'loses_answer') clientOf.get(remotePort)?.destroy()
        return done()
      }, done)
    },
    ...options,
  })
  server.on('error', () => {}) // of clients that leave
  const port = await portOf(server.listen(0, '127.0.0.1'))
  const clients = new Set<Socket>()
  const tap = createServer((client) => {
    const chunks: Array<Buffer> = []
    received.push(() => Buffer.concat(chunks).toString('latin1'))
    clients.add(client)
    const upstream = connect(port, '127.0.0.1', () => clientOf.set(upstream.localPort, client))
    client.on('data', (chunk) => chunks.push(chunk))
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        clients.delete(client)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  return {
    port: await portOf(tap.listen(0, '127.0.0.1')),
    taken,
    received: () => received.map((read) => read()),
    stop: async () => {
      const closed = new Promise((resolve) => tap.close(resolve))
      for (const client of clients) client.destroy()
      await closed
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const refusals: Readonly<Partial<Record<RelayAnswer, Error>>> = {
  refuses_sender: answering(553),
  refuses_recipient: answering(550),
  refuses_letter: answering(554),
  postpones_recipient: answering(450),
  postpones_letter: answering(451),
  closes: answering(421),
}

/** A relay of given words. It gets the lines of a client, and answers each as it likes. */
export const startScriptedRelay = async (
  greet: (client: Socket) => void,
  answer: (line: string, client: Socket) => void = () => {},
): Promise<Readonly<{ port: number; lines: ReadonlyArray<string>; stop: () => Promise<void> }>> => {
  const lines: Array<string> = []
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    client.on('error', () => {})
    client.on('close', () => clients.delete(client))
    let rest = ''
    client.on('data', (chunk) => {
      const parts = (rest + chunk.toString('latin1')).split('\r\n')
      rest = parts.pop() ?? ''
      for (const line of parts) {
        lines.push(line)
        answer(line, client)
      }
    })
    greet(client)
  })
  return {
    port: await portOf(server.listen(0, '127.0.0.1')),
    lines,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const client of clients) client.destroy()
      await closed
    },
  }
}

type Listening = Pick<ReturnType<typeof createServer>, 'address' | 'once'>

const portOf = async (server: Listening): Promise<number> => {
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the relay does not listen')
  return address.port
}
