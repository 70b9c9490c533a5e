import { setImmediate as nextTurn } from 'node:timers/promises'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type Gate, gate } from '../support/waiting.ts'
import { lines } from './transport-talk.ts'

export type GatedHasher = Readonly<{
  module: Module
  /** Makes hashing wait at the returned gate from now on. */
  hold: () => Gate
  release: () => void
  /** Resolves when the service knows that the client whose password is being verified has disconnected or ended its side. */
  endNoticed: () => Promise<void>
}>

export const gatedHasher = (): GatedHasher => {
  let held: Gate | undefined
  let wanted = () => true
  const plain = plainHasher(async () => held?.pass())
  return {
    module: provide(Dependency.passwordHasher, () => ({
      ...plain,
      verify: (password, record, request) => {
        wanted = request.wanted
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
    endNoticed: async () => {
      while (wanted()) await nextTurn() // a disconnect has no event on the other side
    },
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
