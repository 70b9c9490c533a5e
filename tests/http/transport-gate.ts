import { type AbortSignalLike, Dependency, type Module, provide } from '../../adapters/index.ts'
import { aborted } from '../support/aborted.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type Gate, gate } from '../support/waiting.ts'
import { lines } from './transport-talk.ts'

export type GatedHasher = Readonly<{
  module: Module
  /** Makes hashing wait at the returned gate from now on. */
  hold: () => Gate
  release: () => void
  /** Resolves when the request whose password is being verified is aborted. */
  aborted: () => Promise<void>
}>

export const gatedHasher = (): GatedHasher => {
  let held: Gate | undefined
  let signal: AbortSignalLike | undefined
  const plain = plainHasher(async () => held?.pass())
  return {
    module: provide(Dependency.passwordHasher, () => ({
      ...plain,
      verify: (password, record, request) => {
        signal = request.signal
        return plain.verify(password, record, request)
      },
    })),
    hold: () => {
      held = gate()
      return held
    },
    release: () => {
      held = undefined
    },
    aborted: () => aborted(signal),
  }
}

/** A request with JSON fields. */
export const post = (path: string, body: object, ...headers: ReadonlyArray<string>): string => {
  const text = JSON.stringify(body)
  const length = `Content-Length: ${text.length}`
  return (
    lines(`POST ${path} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', ...headers, length) + text
  )
}

export const bearer = (token: string): string => `Authorization: Bearer ${token}`

export const PASSWORD = 'correct horse'
export const CREDENTIALS = { email: 'ada@example.com', password: PASSWORD }
