import { isLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone, toUndefined } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { SecurityPage, Visit } from '../../../application/factors/security-page.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { InvalidToken } from '../../../application/ports/token-format.ts'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import type { Invalid } from '../../../domain/field.ts'
import { SECURITY_PAGE } from '../../../domain/page-visitor.ts'
import { type Html, html } from '../operation/html.ts'
import type { Responder } from '../operation/operation.ts'
import type { HttpResponse } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { ignoreBody } from '../request/body.ts'
import { readForm } from '../request/form.ts'
import type { Request } from '../request/request.ts'
import { ENGLISH } from './english.ts'
import { type FormFailure, failurePage } from './failures.ts'
import type { FieldError } from './fields.ts'
import type { Page, ToResponse } from './layout.ts'
import { readPosted } from './post-form.ts'
import { errorsOf, formAgain, SECURITY_FIELDS, type Values } from './security-forms.ts'
import {
  codesPage,
  endedPage,
  enrolmentPage,
  type FirstPage,
  HEADING,
  listPage,
  renamingPage,
  SIGNED_OUT,
  secondStepPage,
  signInPage,
} from './security-views.ts'

/** The page on which people manage their second factors (docs/account-pages.md). Each form says its step, and carries the proof of its visitor. */
export const securityRoute = (useCases: SecurityPage, toResponse: ToResponse): Route<Responder> => {
  const show: Responder = {
    respond: ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.match(
          (failure) => failurePage(ENGLISH, toResponse, failure, { heading: HEADING, form: html`` }),
          () => toResponse(signInPage()(useCases.passkeys?.ceremony())),
        ),
      ),
  }
  const send: Responder = { respond: answer(useCases, toResponse) }
  return { path: SECURITY_PAGE, methods: { GET: show, HEAD: show, POST: send } }
}

const answer = (useCases: SecurityPage, toResponse: ToResponse) => {
  const readFields = readForm(SECURITY_FIELDS)
  return ({ message, context, deadline }: Request): Task<HttpResponse> => {
    let form = (): Html => html``
    const failed = (failure: FormFailure): HttpResponse =>
      failurePage(ENGLISH, toResponse, failure, { heading: HEADING, form: form() })
    const answered = async (): Promise<HttpResponse> => {
      const read = await readPosted(message, deadline, readFields)()
      if (isLeft(read)) return failed(read.left)
      form = () => formAgain(read.right)
      const outcome = await answerStep(useCases, { context, values: read.right })()
      if (isLeft(outcome)) return failed(outcome.left)
      const { page, status } = outcome.right
      const shownPage = typeof page === 'function' ? page(useCases.passkeys?.ceremony()) : page
      return { ...toResponse(shownPage), status }
    }
    return deadline.limit(answered, failed)
  }
}

type Shown = Readonly<{ page: Page | FirstPage; status: 200 | 422 }>
type Answer = TE.TaskEither<FormFailure, Shown>

const shown = (page: Page | FirstPage): Shown => ({ page, status: 200 })
const refused = (page: Page | FirstPage): Shown => ({ page, status: 422 })
const ENDED = TE.right(refused(endedPage))

type PostedForm = Readonly<{ context: RequestContext; values: Values }>

const answerStep = (useCases: SecurityPage, sent: PostedForm): Answer =>
  sent.values.step === 'sign_in'
    ? signIn(useCases, sent)
    : sent.values.step === 'passkey_sign_in'
      ? signInWithPasskey(useCases, sent)
      : pipe(
          useCases.open(sent.values.proof),
          TE.chainW((visitor) =>
            isNone(visitor)
              ? ENDED
              : pipe(
                  useCases.look(visitor.value),
                  TE.chainW((visit) => continueVisit(useCases, sent, visit)),
                ),
          ),
        )

const signIn = (useCases: SecurityPage, { context, values }: PostedForm): Answer =>
  pipe(
    useCases.provePassword(context, { email: values.email, password: values.password }),
    TE.chainW(useCases.look),
    TE.map((visit) => shown(visit.needsSecondStep ? secondStepPage(visit) : listPage(visit))),
    orRefused((errors) => signInPage(values, errors)),
  )

const signInWithPasskey = ({ passkeys, look }: SecurityPage, { context, values }: PostedForm): Answer =>
  passkeys === undefined
    ? ENDED
    : pipe(
        passkeys.prove(context, values.credential),
        TE.chainW(look),
        TE.map((visit) => shown(listPage(visit))),
        orRefused((errors) => signInPage({}, errors)),
      )

/** Without the second step that is due, nothing else is possible. */
const continueVisit = (useCases: SecurityPage, sent: PostedForm, visit: Visit): Answer => {
  if (sent.values.step === 'second_step') return proveSecondStep(useCases, sent, visit)
  if (visit.needsSecondStep) return TE.right(refused(secondStepPage(visit, errorsOf(['ProofMissing']))))
  switch (sent.values.step) {
    case 'list':
      return TE.right(shown(listPage(visit)))
    case 'add_totp':
      return startEnrolment(useCases, visit)
    case 'complete_totp':
      return completeEnrolment(useCases, sent, visit)
    case 'add_passkey':
      return addPasskey(useCases, sent, visit)
    case 'rename':
      return showRenaming(sent, visit)
    case 'save_name':
      return rename(useCases, sent, visit)
    case 'remove':
      return remove(useCases, sent, visit)
    case 'recovery_codes':
      return renewCodes(useCases, sent, visit)
    default:
      return ENDED
  }
}

const proveSecondStep = (useCases: SecurityPage, { context, values }: PostedForm, visit: Visit): Answer =>
  visit.needsSecondStep
    ? pipe(
        useCases.proveSecondStep(context, visit.visitor, {
          totp: values.totp,
          recoveryCode: values.recovery_code,
          credential: values.credential,
        }),
        TE.chainW((visitor) => useCases.look(visitor)),
        TE.map((proved) => shown(listPage(proved))),
        orRefused((errors) => secondStepPage(visit, errors)),
      )
    : TE.right(shown(listPage(visit))) // the form was sent twice

const startEnrolment = ({ enrolTotp }: SecurityPage, visit: Visit): Answer =>
  enrolTotp === undefined
    ? ENDED
    : pipe(
        enrolTotp.start(visit.visitor),
        TE.chainTaskK((started) => async () => shown(await enrolmentPage(visit, started))),
        orRefused(() => endedPage),
      )

/** Shows the same enrolment again after a mistake: the app has its secret already. */
const completeEnrolment = (
  { enrolTotp }: SecurityPage,
  { context, values }: PostedForm,
  visit: Visit,
): Answer => {
  const started = enrolTotp && toUndefined(enrolTotp.resume(visit.visitor, values.enrolment))
  if (enrolTotp === undefined || started === undefined) return ENDED
  const { enrolment, totp, name } = values
  return pipe(
    enrolTotp.complete(context, visit.visitor, { enrolment, totp, name }),
    TE.map((enrolled) => shown(codesPage('Your app was added', enrolled))),
    orRefused((errors) => enrolmentPage(visit, started, { values, errors })),
  )
}

const addPasskey = ({ passkeys }: SecurityPage, { context, values }: PostedForm, visit: Visit): Answer =>
  passkeys?.enrol === undefined
    ? ENDED
    : pipe(
        passkeys.enrol(context, visit.visitor, { credential: values.credential, name: values.name }),
        TE.map((enrolled) => shown(codesPage('Your passkey was added', enrolled))),
        orRefused((errors) => listPage(visit, { errors })),
      )

const showRenaming = ({ values }: PostedForm, { factors, ...visit }: Visit): Answer => {
  const factor = factors.find(({ id }) => id === values.factor_id)
  return factor === undefined
    ? ENDED
    : TE.right(shown(renamingPage(visit, { factorId: factor.id, name: factor.name })))
}

const rename = (useCases: SecurityPage, { context, values }: PostedForm, visit: Visit): Answer => {
  const { factor_id: factorId, name } = values
  return pipe(
    useCases.rename(context, visit.visitor, { factorId, name }),
    TE.map((after) => shown(listPage(after, { notice: 'The name was saved.' }))),
    orRefused((errors) => renamingPage(visit, { factorId: factorId ?? '', name: name ?? '' }, errors)),
  )
}

const remove = (useCases: SecurityPage, { context, values }: PostedForm, { visitor }: Visit): Answer =>
  pipe(
    useCases.remove(context, visitor, { factorId: values.factor_id }),
    TE.map((after) => shown(listPage(after, { notice: `The second factor was removed. ${SIGNED_OUT}` }))),
    orRefused(() => endedPage),
  )

const renewCodes = (useCases: SecurityPage, { context }: PostedForm, { visitor }: Visit): Answer =>
  pipe(
    useCases.renewCodes(context, visitor),
    TE.map((codes) => shown(codesPage('You have new recovery codes', codes))),
    orRefused(() => endedPage),
  )

/** Shows the errors of fields. With other problems, and without a valid proof, the visit has ended. */
const orRefused =
  (pageWith: (errors: ReadonlyArray<FieldError>) => Page | FirstPage | Promise<Page>) =>
  <Problem extends string>(
    answered: TE.TaskEither<FormFailure | StoreUnavailable | InvalidToken | Invalid<Problem>, Shown>,
  ): Answer =>
    pipe(
      answered,
      TE.orElse((failure): Answer => {
        if (failure._tag === 'InvalidToken') return ENDED
        if (failure._tag !== 'Invalid') return TE.left(failure)
        const errors = errorsOf(failure.problems)
        return errors === undefined ? ENDED : TE.fromTask(async () => refused(await pageWith(errors)))
      }),
    )
