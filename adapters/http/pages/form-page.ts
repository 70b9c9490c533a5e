import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone, isSome, none, type Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { InvalidToken } from '../../../application/ports/token-format.ts'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import type { Application } from '../../../domain/application.ts'
import { type Field, type Invalid, isPresent } from '../../../domain/field.ts'
import { validateReturnTo } from '../../../domain/return-urls.ts'
import { type Html, html } from '../operation/html.ts'
import type { Responder } from '../operation/operation.ts'
import type { HttpResponse } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { ignoreBody } from '../request/body.ts'
import { readForm } from '../request/form.ts'
import type { Request } from '../request/request.ts'
import { ENGLISH } from './english.ts'
import { type FormFailure, failurePage } from './failures.ts'
import { alertHtml, type FieldError, type Input, summaryHtml } from './fields.ts'
import type { ToResponse } from './layout.ts'
import { postFormHtml, readPosted } from './post-form.ts'
import { secondStepForm, secondStepPage } from './second-step.ts'

/** A page with one form. `Name` are the parameters that its use case reads. */
export type FormPage<Name extends string, Problem extends string> = Readonly<{
  path: `/account/${string}`
  heading: string
  intro: string
  names: ReadonlyArray<Name>
  inputs: ReadonlyArray<Input & Readonly<{ name: Name }>>
  button: string
  /** The item of every problem that a field can have. */
  errors: Readonly<Record<Problem, FieldError>>
  run: (
    context: RequestContext,
    form: Readonly<Record<Name, Field>>,
  ) => TE.TaskEither<FormFailure | Invalid<Problem>, FirstStep>
  /** Without it, the form is the only step. */
  secondStep?: SecondStep | undefined
  done: Readonly<{ heading: string; text: string }>
}>

/** What came of the form. */
type FirstStep = Readonly<{
  /** For the second step that must follow. None if all is done. */
  proof: Option<string>
  /** Where the page leads back to, if all is done. */
  returnTo: Option<string>
}>

/** The result of a page whose second step may follow. */
export const withProof = <E>(outcome: TE.TaskEither<E, Option<string>>): TE.TaskEither<E, FirstStep> =>
  pipe(
    outcome,
    TE.map((proof) => ({ proof, returnTo: none })),
  )

/** The result of a page behind a mailed link. Anyone can write such a link, so it leads only to the return URLs of the application. */
export const done = <E>(
  outcome: TE.TaskEither<E, Pick<Application, 'returnUrls'>>,
  returnTo: Field,
): TE.TaskEither<E, FirstStep> =>
  pipe(
    outcome,
    TE.map(({ returnUrls }) => ({
      proof: none,
      returnTo: E.getOrElse((): Option<string> => none)(validateReturnTo(returnTo, returnUrls)),
    })),
  )

/** A second step asks for a code. Its form carries the proof of the first step. */
type SecondStep = Readonly<{
  errors: Readonly<Partial<Record<string, FieldError>>>
  run: (
    context: RequestContext,
    form: Readonly<Record<(typeof SECOND_STEP_FIELDS)[number], Field>>,
  ) => TE.TaskEither<FormFailure | Invalid<string> | InvalidToken, void>
  /** The code of a proof that has ended. */
  endedCode: number
}>

const SECOND_STEP_FIELDS = ['proof', 'totp', 'recovery_code'] as const

/** The name of the hidden input with the one-time token of the link. */
const TOKEN = 'token'

/** The message of a form without this token. */
export const INCOMPLETE_LINK = 'The link is not complete. Open the whole link from the mail.'

/** Returns the route of a page: GET shows the form and checks nothing, POST answers it. Mail scanners follow links too. */
export const formRoute = <Name extends string, Problem extends string>(
  page: FormPage<Name, Problem>,
  toResponse: ToResponse,
): Route<Responder> => {
  const show: Responder = {
    respond: (request) =>
      pipe(
        ignoreBody(request.message),
        TE.match(
          (failure) => failurePage(ENGLISH, toResponse, failure, { heading: page.heading, form: NO_FORM }),
          () =>
            toResponse({ heading: page.heading, content: introAndForm(page, valuesOfLink(page, request)) }),
        ),
      ),
  }
  const send: Responder = { respond: answer(page, toResponse) }
  return { path: page.path, methods: { GET: show, HEAD: show, POST: send } }
}

const NO_FORM = html``

/** The names that have no input that people see. A link has their values. */
const hiddenNames = ({ names, inputs }: Pick<Form, 'names' | 'inputs'>): ReadonlyArray<string> =>
  names.filter((name) => !inputs.some((input) => input.name === name))

const valuesOfLink = (page: Pick<Form, 'names' | 'inputs'>, { query }: Request): Values => {
  const parameters = new URLSearchParams(query())
  return Object.fromEntries(hiddenNames(page).map((name) => [name, parameters.get(name) ?? undefined]))
}

const answer = <Name extends string, Problem extends string>(
  page: FormPage<Name, Problem>,
  toResponse: ToResponse,
) => {
  const { secondStep } = page
  const readFields = readForm([...page.names, ...(secondStep === undefined ? [] : SECOND_STEP_FIELDS)])
  return ({ message, context, deadline }: Request): Task<HttpResponse> => {
    let form = (): Html => NO_FORM
    const failed = (failure: FormFailure): HttpResponse =>
      failurePage(ENGLISH, toResponse, failure, { heading: page.heading, form: form() })
    const answered = async (): Promise<HttpResponse> => {
      const read = await readPosted(message, deadline, readFields)()
      if (E.isLeft(read)) return failed(read.left)
      const values: Values = read.right
      const { proof } = values
      if (secondStep !== undefined && isPresent(proof)) {
        const step = { path: page.path, hidden: { proof } }
        form = () => secondStepForm(step)
        const { totp, recovery_code } = values
        const proved = await secondStep.run(context, { proof, totp, recovery_code })()
        if (E.isRight(proved)) return donePage(page, toResponse)
        if (proved.left._tag === 'InvalidToken') return endedPage(page, toResponse, secondStep.endedCode)
        if (proved.left._tag !== 'Invalid') return failed(proved.left)
        const errors = proved.left.problems.flatMap((problem) => secondStep.errors[problem] ?? [])
        return { ...toResponse(secondStepPage(step, errors)), status: 422 }
      }
      form = () => formHtml(page, values)
      const outcome = await page.run(context, read.right)()
      if (E.isRight(outcome)) {
        const { proof: next, returnTo } = outcome.right
        return isSome(next)
          ? toResponse(secondStepPage({ path: page.path, hidden: { proof: next.value } }))
          : donePage(page, toResponse, returnTo)
      }
      const failure = outcome.left
      return failure._tag === 'Invalid'
        ? invalidPage(page, toResponse, { values, problems: failure.problems })
        : failed(failure)
    }
    return deadline.limit(answered, failed)
  }
}

type Values = Readonly<Record<string, Field>>

const donePage = (
  { done: { heading, text } }: Pick<FormPage<never, never>, 'done'>,
  toResponse: ToResponse,
  returnTo: Option<string> = none,
): HttpResponse => {
  const link = isNone(returnTo)
    ? html``
    : html`<p><a href="${returnTo.value}">Return to the application</a></p>`
  return toResponse({ heading, content: html`<p class="done" role="status">${text}</p>${link}` })
}

/** The first step again. Nothing of the ended one is kept. */
const endedPage = <Name extends string, Problem extends string>(
  page: FormPage<Name, Problem>,
  toResponse: ToResponse,
  code: number,
): HttpResponse => ({
  ...toResponse({
    heading: page.heading,
    isError: true,
    content: html`${alertHtml(
      'Start again',
      html`<p data-code="${code}">Nothing was changed. You took more than five minutes, or your password or second factors have changed meanwhile.</p>`,
    )}${formHtml(page, {})}`,
  }),
  status: 422,
})

/** Shows all problems at their fields. With an unusable token nothing else matters, so the form is gone. */
const invalidPage = <Name extends string, Problem extends string>(
  page: FormPage<Name, Problem>,
  toResponse: ToResponse,
  { values, problems }: Readonly<{ values: Values; problems: ReadonlyArray<Problem> }>,
): HttpResponse => {
  const errors = problems.map((problem) => page.errors[problem]).sort((one, other) => one.code - other.code)
  const ofToken = errors.find(({ param }) => param === TOKEN)
  const content =
    ofToken === undefined
      ? html`${summaryHtml(ENGLISH.say, inOrder(page, errors))}${formHtml(page, values, errors)}`
      : alertHtml('This link cannot be used', html`<p data-code="${ofToken.code}">${ofToken.message}</p>`)
  return { ...toResponse({ heading: page.heading, isError: true, content }), status: 422 }
}

/** The errors in the order of the inputs on the page. */
const inOrder = (
  { inputs }: Readonly<{ inputs: ReadonlyArray<Input> }>,
  errors: ReadonlyArray<FieldError>,
): ReadonlyArray<FieldError> => inputs.flatMap(({ name }) => errors.filter(({ param }) => param === name))

type Form = Readonly<{
  path: string
  inputs: ReadonlyArray<Input>
  names: ReadonlyArray<string>
  button: string
}>

const introAndForm = (page: Form & Readonly<{ intro: string }>, values: Values): Html =>
  html`<p>${page.intro}</p>${formHtml(page, values)}`

const formHtml = (
  { path, inputs, names, button }: Form,
  values: Values,
  errors: ReadonlyArray<FieldError> = [],
): Html =>
  postFormHtml(
    ENGLISH.say,
    {
      path,
      inputs,
      button,
      hidden: Object.fromEntries(hiddenNames({ names, inputs }).map((name) => [name, values[name] ?? ''])),
    },
    values,
    errors,
  )
