import { isRight } from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Invalid } from '../../../../application/invalid.ts'
import type { ACCESS } from '../../../../domain/access.ts'
import { type Answer, type Codes, refused } from './answer.ts'
import { answerTo, type Failure } from './failures.ts'
import type { BodyShape } from './fields.ts'
import type { Group } from './groups.ts'
import type { Request } from './route.ts'
import type { Schema } from './schema.ts'

/** What one method does on a path, and what clients are told of it. */
export type HttpOperation = Readonly<{ about: About; answer: (request: Request) => Task<Answer> }>

/** What clients are told of an operation: all that can come back, and what it takes. */
export type About<Tag extends FailureTag = FailureTag, Problem extends string = string> = Readonly<{
  /** Names it for programs that write clients: one for each operation. */
  id: string
  /** The heading under which it stands. */
  group: Group
  /** In a few words. */
  summary: string
  /** In sentences, in Markdown. */
  details?: string
  /** Whose token it takes, as the domain's table has it; none without one. */
  access?: keyof typeof ACCESS
  /** Whether an application may, instead of showing a token, say by its API keys who it is. */
  byKeys?: boolean
  body?: BodyShape
  /** The answers when it is done. */
  successes: ReadonlyArray<Success>
  /** All that can be wrong with the fields, as numbers on the wire. */
  codes?: Codes<Problem>
  /** Of these problems, those that cannot come up under the settings. */
  impossible?: ReadonlyArray<Problem>
  /** How a failure is answered, where that is not as everywhere. */
  refuse?: (failure: Failure) => Answer
  /** Everything else that can go wrong. */
  fails: ReadonlyArray<Tag>
  examples: ReadonlyArray<Example<Problem>>
}>

export type Success = Readonly<{
  status: number
  description: string
  /** None where there is no body. */
  body?: Schema
  /** Of the body, where it is no JSON. */
  type?: string
  /** Besides those that are on every answer, or instead of them. */
  headers?: Readonly<Record<string, Readonly<{ description: string; required: true; schema: Schema }>>>
}>

/** A request, by its fields, and what comes back: what is wrong with it, or the whole answer. */
export type Example<Problem extends string = string> = Readonly<{
  summary: string
  fields?: Readonly<Record<string, string>>
}> &
  (
    | Readonly<{ wrong: readonly [Problem, ...Array<Problem>] }>
    | Readonly<{ status: number; answer?: object | undefined }>
  )

type FailureTag = Failure['_tag']
export type FailureOf<Tag extends FailureTag> = Extract<Failure, { _tag: Tag }>

/**
 * An operation that can fail in no other way than its description says: what is not in `fails` or `codes` does not compile.
 *
 * @param run gives the answer when it is done
 */
export const operation = <Tag extends FailureTag, Problem extends string = never>(
  about: About<Tag, Problem>,
  run: (request: Request) => TaskEither<FailureOf<Tag> | Invalid<Problem>, Answer>,
): HttpOperation => {
  const { refuse = answerTo } = about
  const codes = about.codes ?? ({} as Codes<Problem>) // where there are none, there are no problems
  return {
    about,
    answer: (request) => async () => {
      const result = await run(request)()
      if (isRight(result)) return result.right
      const failure: Failure | Invalid<Problem> = result.left
      return failure._tag === 'Invalid' ? refused(codes, failure.problems) : refuse(failure)
    },
  }
}

/** How a request with a token can fail before it is looked at any further. */
export const OF_TOKENS = [
  'NoToken',
  'InvalidToken',
  'InsufficientScope',
  'Throttled',
  'StoreUnavailable',
] as const

/** How a request can fail whose body is not looked at, but for its size. */
export const OF_IGNORED_BODIES = ['MalformedRequest', 'BodyTooLarge', 'Abandoned'] as const

/** How a body can fail whose fields are read. */
export const OF_BODIES = [...OF_IGNORED_BODIES, 'UnsupportedBody'] as const
