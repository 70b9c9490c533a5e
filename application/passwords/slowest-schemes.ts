import { type Either, isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { isSome, some } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Background } from '../ports/background.ts'
import type { PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { headOfLog } from '../recording/head-of-log.ts'
import { eventPages, pages } from '../recording/pages.ts'

/** Returns the password schemes in use. If there are more than `KEPT`, it returns those that take longest, and the fastest one. */
export type SlowestSchemes = TaskEither<StoreUnavailable, ReadonlyArray<string>>

type Dependencies = Readonly<{
  store: Pick<Store, 'listPasswordSchemes' | 'readEvents'>
  hasher: Pick<PasswordHasher, 'verifyMs'>
  background: Background
}>

/**
 * Each call reads the schemes if they fit on one page. More of them are read by a first call and then once a minute in the background,
 * unless the log has not grown. Between two walks each call adds the schemes that the log says were imported meanwhile. Other new
 * schemes come from instances with other settings, and wait for the next walk.
 */
export const slowestSchemes = ({ store, hasher, background }: Dependencies): SlowestSchemes => {
  const slowest = slowestBy(hasher)
  let walked: Walked | undefined // only while the schemes exceed a page
  let firstWalk: Promise<Either<StoreUnavailable, Walked>> | undefined

  const walk = async (): Promise<Either<StoreUnavailable, Walked>> => {
    const head = await headOfLog(store, 0)() // what is imported from here on, the walk may miss
    if (isLeft(head)) return head
    let count = 0
    let schemes: ReadonlyArray<string> = []
    const read = (after: string, limit: number) => store.listPasswordSchemes({ after, limit })
    for await (const page of pages(read, '', (scheme) => scheme, PAGE)) {
      if (isLeft(page)) return page
      count += page.right.length
      schemes = slowest([...schemes, ...page.right])
    }
    return right({ head: head.right, position: head.right, count, schemes })
  }

  const walkFirst = async (): Promise<Either<StoreUnavailable, Walked>> => {
    const outcome = await walk()
    firstWalk = undefined
    if (isRight(outcome)) {
      walked = outcome.right
      walkLater()
    }
    return outcome
  }

  const walkAgain: Task<void> = async () => {
    const head = await headOfLog(store, 0)()
    if (isRight(head) && head.right !== walked?.head) {
      const outcome = await walk()
      if (isRight(outcome)) walked = outcome.right.count < PAGE ? undefined : outcome.right
    }
    if (walked !== undefined) walkLater()
  }

  /** When the service stops, `after` runs what was delayed, but `run` refuses it. So nothing delays the stop. */
  const walkLater = (): void =>
    background.after(INTERVAL_MS, async () => {
      if (!background.run(walkAgain)) walkLater()
    })

  const withImports = async (since: Walked): Promise<Either<StoreUnavailable, ReadonlyArray<string>>> => {
    const head = await headOfLog(store, since.position)()
    if (isLeft(head)) return head
    if (head.right === since.position) return right(since.schemes)
    let { schemes } = since
    for await (const page of eventPages(store, { after: since.position, type: 'UserImported' })) {
      if (isLeft(page)) return page
      const imported = page.right.flatMap(({ type, data }) => (type === 'UserImported' ? [data.scheme] : []))
      if (imported.length > 0) schemes = slowest([...schemes, ...imported])
    }
    if (walked === since) walked = { ...since, position: head.right, schemes }
    return right(schemes)
  }

  return async () => {
    if (walked !== undefined) return withImports(walked)
    const first = await store.listPasswordSchemes({ after: '', limit: PAGE })()
    if (isLeft(first) || first.right.length < PAGE) return first
    firstWalk ??= walkFirst()
    const outcome = await firstWalk
    return isLeft(outcome) ? outcome : withImports(outcome.right)
  }
}

/** `head` is the end of the log when the walk began, and `count` the schemes that it found. Imports up to `position` are included. */
type Walked = Readonly<{ head: number; position: number; count: number; schemes: ReadonlyArray<string> }>

/**
 * The estimate of an algorithm changes when its first record is verified, so that another one may become the slowest. So many schemes
 * are kept. The fastest one shows that they do not all take the same time.
 */
const slowestBy =
  ({ verifyMs }: Dependencies['hasher']) =>
  (schemes: ReadonlyArray<string>): ReadonlyArray<string> =>
    [...new Set(schemes)]
      .flatMap((scheme) => {
        const ms = verifyMs(some(scheme))
        return isSome(ms) ? [{ scheme, ms: ms.value }] : []
      })
      .sort((one, other) => other.ms - one.ms)
      .filter((_, index, { length }) => index < KEPT - 1 || index === length - 1)
      .map(({ scheme }) => scheme)

const PAGE = 500
const KEPT = PAGE
const INTERVAL_MS = 60_000
