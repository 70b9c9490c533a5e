import type { Readable } from 'node:stream'
import { CommandFailed } from './exit.ts'

export const PASSWORD_MISSING = 'The password on standard input is empty.'

/** The limit of a request body. */
const MAX_PASSWORD_BYTES = 16 * 1024

/** Standard input without one line feed at its end. */
export const readPassword = async (input: Readable): Promise<string> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > MAX_PASSWORD_BYTES)
      throw new CommandFailed(`The password on standard input is longer than ${MAX_PASSWORD_BYTES} bytes.`)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
    return text.replace(/\n$/, '')
  } catch {
    throw new CommandFailed('The password on standard input is not valid UTF-8.')
  }
}
