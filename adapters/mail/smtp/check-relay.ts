import type { TLSSocket } from 'node:tls'
import type { NodemailerError } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { CheckedRelay } from '../../../application/ports/mail.ts'
import { connectionOptions, limitsOf, type SmtpOptions } from './relay-options.ts'

/**
 * Connects, encrypts, signs in, names the sender, and takes it back.
 *
 * @throws the error of nodemailer
 */
export const checkRelay = async (options: SmtpOptions): Promise<CheckedRelay> => {
  const { from, relay } = options
  const connection = new SMTPConnection({
    ...connectionOptions(options),
    customAuth: { [NAME_SENDER]: ({ sendCommand }) => nameSender(from.address, sendCommand) },
  })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<CheckedRelay>((resolve, reject) => {
      timer = setTimeout(() => reject({ code: 'ETIMEDOUT' }), limitsOf(options).attemptMs)
      const orFail = (next: () => void) => (error?: NodemailerError | null) =>
        error ? reject(error) : next()
      connection.on('error', reject)
      connection.once('end', () => reject({ code: 'ECONNECTION' }))
      const checkSender = () => {
        const checked = encryptionOf(connection._socket)
        connection.login(
          { method: NAME_SENDER },
          (error) => (error ? reject({ ...error, code: 'EENVELOPE' }) : resolve(checked)), // it is no refused password
        )
      }
      connection.connect(
        orFail(() =>
          relay.credentials === undefined
            ? checkSender()
            : connection.login(
                { user: relay.credentials.user, pass: relay.credentials.password },
                orFail(checkSender),
              ),
        ),
      )
    })
  } finally {
    clearTimeout(timer)
    connection.quit()
    connection.close()
  }
}

/**
 * nodemailer has no method that ends before `DATA`. A method of authentication may send what it wants, so this one does. Its name
 * never reaches the relay.
 */
const NAME_SENDER = 'NAME-SENDER'

type SendCommand = (command: string) => Promise<Readonly<{ status: number }>>

const nameSender = async (address: string, sendCommand: SendCommand): Promise<void> => {
  for (const command of [`MAIL FROM:<${address}>`, 'RSET']) {
    const { status } = await sendCommand(command)
    if (status < 200 || status > 299) throw new Error('refused')
  }
}

const encryptionOf = (socket: unknown): CheckedRelay => {
  if (!isEncrypted(socket)) return { tlsVersion: undefined, certificateEndsAtSeconds: undefined }
  const ends = Date.parse(socket.getPeerCertificate().valid_to)
  return {
    tlsVersion: socket.getProtocol() ?? undefined,
    certificateEndsAtSeconds: Number.isNaN(ends) ? undefined : ends / 1000,
  }
}

const isEncrypted = (socket: unknown): socket is TLSSocket =>
  typeof socket === 'object' && socket !== null && 'encrypted' in socket
