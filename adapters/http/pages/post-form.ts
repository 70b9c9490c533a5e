import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Field } from '../../../domain/field.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html } from '../operation/html.ts'
import type { BodyFailure, ReadBody } from '../request/body.ts'
import type { Deadline } from '../request/deadline.ts'
import type { SentFromElsewhere } from './failures.ts'
import { type FieldError, fieldHtml, hiddenHtml, type Input, pathOfForm } from './fields.ts'

/** Reads a form that a page of this origin sent. */
export const readPosted = <A>(
  message: IncomingMessage,
  deadline: Deadline,
  readFields: ReadBody<A>,
): TE.TaskEither<SentFromElsewhere | BodyFailure, A> =>
  pipe(
    TE.fromEither(requireSameOrigin(message)),
    TE.chainW(() => deadline.whileArriving(message, readFields(message))),
  )

/**
 * Refuses forms that another site made the browser send. Browsers without `Sec-Fetch-Site` and plain clients do not send the
 * header. `Origin` is not compared: under `Referrer-Policy: no-referrer` it is `null`.
 */
const requireSameOrigin = ({ headers }: IncomingMessage): E.Either<SentFromElsewhere, void> => {
  const { 'sec-fetch-site': site = 'same-origin' } = headers
  return site === 'same-origin' ? E.right(undefined) : E.left({ _tag: 'SentFromElsewhere' })
}

/** A form that is posted to the page it is on. `hidden` are its hidden inputs. */
export type PostForm = Readonly<{
  path: string
  hidden: Readonly<Record<string, string>>
  inputs: ReadonlyArray<Input>
  button: string
}>

/** Renders the form. */
export const postFormHtml = (
  say: Say,
  { path, hidden, inputs, button }: PostForm,
  values: Readonly<Record<string, Field>>,
  errors: ReadonlyArray<FieldError> = [],
): Html =>
  html`<form method="post" action="${pathOfForm(path)}" novalidate>
${hiddenHtml(hidden)}
${inputs.map((input) => fieldHtml(say, input, values[input.name] ?? '', errors))}<button>${button}</button>
</form>
`
