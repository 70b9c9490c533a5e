import { Writable } from 'node:stream'

/** A terminal that keeps what is written to it. */
export const terminal = () => {
  const written: Array<string> = []
  const stream = new Writable({
    write: (chunk, _, done) => {
      written.push(String(chunk))
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY: true, columns: 80 }), written: () => written.join('') }
}
