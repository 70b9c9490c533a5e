import * as E from 'fp-ts/lib/Either.js'
import { isSome, map, type Option } from 'fp-ts/lib/Option.js'
import { scryptPasswordHasher } from '../../../adapters/driven/scrypt/password-hasher.ts'
import type { HashingRefused, PasswordHasher } from '../../../application/ports/password-hasher.ts'
import type { OpenPasswordHasher, PasswordHasherCapabilities } from '../password-hasher.ts'
import type { BrokenOne } from './a-contract.ts'

/** A hasher in all the ways that the contract wants to have one. */
export type Hashers = Readonly<{
  open: OpenPasswordHasher
  capabilities: Required<PasswordHasherCapabilities>
}>

export type BrokenHasher = BrokenOne<Hashers>

/** How the records of `OUTDATED` and `UNREADABLE` came to be: at a quarter of the cost, and under a pepper that is gone. */
const COST = { logN: 1, r: 4, p: 1 }

export const OUTDATED = {
  password: 'correct horse',
  record:
    '1$$c2NyeXB0AAEAAAABAAAAAd/kpEZXPH3Vw/W8qaQpaHqAsss14JS8DnZ4j7Nw1fMQWmsJC7fpDDiGhMvKYXP1ezlzzfroyIc3/Xi0L4ibG9Lr6jkpKK5DGlCE9hIQ9yyJ',
}

export const UNREADABLE = {
  password: 'correct horse',
  record:
    '1$gone$c2NyeXB0AAEAAAAIAAAAAeYJzM495SGRWihR5q/mJTSQSsdhPlZaDK/jizDwvx8C0BU/5I8kh7lUhRv8aOSWxbEpyEVSnvFnJqdUjXQSdiLDDXtvnwnvJK6C28LDf/hC',
}

/** scrypt at hardly any cost, with some of its methods replaced. */
export const hashersWith = (methods: (hasher: PasswordHasher) => Partial<PasswordHasher>): Hashers => {
  const opening =
    (concurrency: number, maxWaitMs: number): OpenPasswordHasher =>
    async () => {
      const hasher = scryptPasswordHasher(COST, { concurrency, maxWaitMs })
      return { hasher: { ...hasher, ...methods(hasher) } }
    }
  return {
    open: opening(2, 600_000),
    capabilities: {
      outdated: OUTDATED,
      unreadable: UNREADABLE,
      oneAtATime: opening(1, 600_000),
      refusing: opening(1, 0),
    },
  }
}

export const brokenHasher = (
  breaks: string,
  caughtBy: string | ReadonlyArray<string>,
  methods: (hasher: PasswordHasher) => Partial<PasswordHasher>,
): BrokenHasher => ({
  breaks,
  caughtBy: typeof caughtBy === 'string' ? [caughtBy] : caughtBy,
  open: hashersWith(methods),
})

/** A hasher that takes one password for another. */
export const through =
  (alter: (password: string) => string) =>
  (hasher: PasswordHasher): Partial<PasswordHasher> => ({
    hash: (password, request) => hasher.hash(alter(password), request),
    verify: (password, record, request) => hasher.verify(alter(password), record, request),
  })

/** A hasher that takes one password for another only when it hashes it. */
export const hashing =
  (alter: (password: string) => string) =>
  (hasher: PasswordHasher): Partial<PasswordHasher> => ({
    hash: (password, request) => hasher.hash(alter(password), request),
  })

/** A hasher that takes one record for another, given all that it has made. */
export const reading =
  (alter: (record: string, made: ReadonlyArray<string>, password: string) => string) =>
  (hasher: PasswordHasher): Partial<PasswordHasher> => {
    const made: Array<string> = []
    return {
      hash: (password, request) => async () => {
        const outcome = await hasher.hash(password, request)()
        if (E.isRight(outcome)) made.push(outcome.right.record)
        return outcome
      },
      verify: (password, record, request) =>
        hasher.verify(password, map((stored: string) => alter(stored, made, password))(record), request),
    }
  }

/** A hasher that makes something else of its records, and takes it back. */
export const writing =
  (write: (record: string, password: string) => string, back: (written: string) => string) =>
  (hasher: PasswordHasher): Partial<PasswordHasher> => ({
    hash: (password, request) => async () => {
      const outcome = await hasher.hash(password, request)()
      return E.isRight(outcome)
        ? E.right({ ...outcome.right, record: write(outcome.right.record, password) })
        : outcome
    },
    verify: (password, record, request) => hasher.verify(password, map(back)(record), request),
    assess: (record) => hasher.assess(back(record)),
  })

/** A hasher that gives its own answer to some questions, after the same work. */
export const answering =
  (answer: (password: string, record: Option<string>) => boolean | undefined) =>
  (hasher: PasswordHasher): Partial<PasswordHasher> => ({
    verify: (password, record, request) => async () => {
      const outcome = await hasher.verify(password, record, request)()
      return E.isRight(outcome) ? E.right(answer(password, record) ?? outcome.right) : outcome
    },
  })

/** A hasher that refuses in another way. */
export const refusing =
  (alter: (refused: HashingRefused) => HashingRefused) =>
  (hasher: PasswordHasher): Partial<PasswordHasher> => ({
    hash: (password, request) => async () => E.mapLeft(alter)(await hasher.hash(password, request)()),
    verify: (password, record, request) => async () =>
      E.mapLeft(alter)(await hasher.verify(password, record, request)()),
  })

/** Whether it is this record. */
export const is = (record: Option<string>, that: string): boolean => isSome(record) && record.value === that
