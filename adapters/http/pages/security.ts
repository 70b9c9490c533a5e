import { partition } from 'fp-ts/lib/Array.js'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isSome, type Option, toUndefined } from 'fp-ts/lib/Option.js'
import type { BrowserCookies } from '../../../application/pages/browser-cookies.ts'
import type { PageUseCases } from '../../../application/use-cases/pages.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { Permission } from '../../../domain/access.ts'
import { isIdentity } from '../../../domain/factor.ts'
import { type Field, isPresent } from '../../../domain/field.ts'
import type { Html } from '../operation/html.ts'
import { backHtml, isLastOf, REMOVE_IDENTITY, removingPage, renamingPage, SECURITY } from './factor-views.ts'
import type { FormFailure } from './failures.ts'
import type { FieldError } from './fields.ts'
import { type IdentityNotice, linkedAtProviders, toProvider } from './identity-forms.ts'
import { LINK_IDENTITY } from './security-identities.ts'
import {
  codesPage,
  endedPage,
  enrolmentForm,
  enrolmentPage,
  errorsIn,
  listPage,
  type NoticeName,
  onlyOncePage,
} from './security-views.ts'
import { type Reply, type SessionPage, signedInPage } from './session-page.ts'
import { SIGN_IN } from './sign-in.ts'
import { STEP_UP } from './step-up.ts'
import type { SignedInVisit, Site } from './visit.ts'

/** The parameters of its forms. `step` says what a form is for. `version` is what the user was when the form was shown. */
const NAMES = [
  'step',
  'totp',
  'enrolment',
  'name',
  'factor_id',
  'kind',
  'credential',
  'version',
  'provider',
] as const
type Name = (typeof NAMES)[number]

export type SecurityUseCases = Pick<
  RequestUseCases,
  | 'listFactors'
  | 'enrolTotp'
  | 'passkeys'
  | 'renameFactor'
  | 'removeFactor'
  | 'renewRecoveryCodes'
  | 'mailLinks'
> &
  Pick<PageUseCases, 'pageIdentities'>

/** What answers a step of a person who is signed in. */
type Sent = Readonly<{
  visit: SignedInVisit
  form: Readonly<Record<Name, Field>>
  useCases: SecurityUseCases
  permits: Site['browsers']['permits']
  cookies: BrowserCookies
}>

/** A person manages the own second factors (docs/account-pages.md). What the API asks a fresh token for begins with a step-up here. */
export const securityPage = (
  { browsers: { permits, cookies } }: Pick<Site, 'browsers'>,
  useCases: SecurityUseCases,
): SessionPage<Name> =>
  signedInPage({
    path: SECURITY,
    names: NAMES,
    show: (visit) => showList({ visit, useCases, permits }),
    send: async (visit, form) => {
      const step = STEPS.get(form.step ?? '')
      if (step === undefined) return toList(visit)
      const [permission, answer] = step
      return permits(permission, visit.caller)
        ? answer({ visit, form, useCases, permits, cookies })
        : toStepUp(visit)
    },
  })

const toList = (visit: SignedInVisit, notice?: NoticeName | IdentityNotice): Reply => ({
  to: visit.href(SECURITY, { notice, continue: visit.continued }),
})

const toStepUp = (visit: SignedInVisit): Reply => ({
  to: visit.href(STEP_UP, {
    continue: visit.href(SECURITY, { notice: visit.notice, continue: visit.continued }),
  }),
})

type Failure = FormFailure | Readonly<{ _tag: 'InvalidToken' }>

/** The session may have ended since the visit began. */
const failed = (visit: SignedInVisit, failure: Failure, form: Html = backHtml(visit)): Reply =>
  failure._tag === 'InvalidToken'
    ? {
        to: visit.href(SIGN_IN, {
          continue: visit.href(SECURITY, { continue: visit.continued }),
          notice: 'expired',
        }),
      }
    : { failure, heading: visit.language.say('security.heading'), form }

/** The list contains the start of a registration, so it is for fresh sessions alone. */
const showList = async (
  { visit, useCases, permits }: Pick<Sent, 'visit' | 'useCases' | 'permits'>,
  errors: ReadonlyArray<FieldError> = [],
): Promise<Reply> => {
  if (!permits('startEnrolment', visit.caller)) return toStepUp(visit)
  const found = await useCases.listFactors(visit.caller)()
  if (isLeft(found)) return failed(visit, found.left)
  const linkedAt = await linkedAtProviders(useCases, visit.caller)
  if (isLeft(linkedAt)) return failed(visit, linkedAt.left)
  const { left: factors, right: linked } = partition(isIdentity)([...found.right.factors])
  const providers = (useCases.pageIdentities?.providers ?? []).filter(
    ({ name }) => !linkedAt.right.includes(name),
  )
  const started = await useCases.passkeys?.enrol?.start(visit.caller)()
  const creates = started !== undefined && isRight(started) ? started.right.options : undefined
  const canEnrol = useCases.enrolTotp !== undefined
  return {
    page: listPage(visit, {
      ...found.right,
      factors,
      identities: { linked, providers },
      creates,
      canEnrol,
      canConfirm: useCases.mailLinks !== undefined,
      errors,
    }),
    status: errors.length === 0 ? 200 : 422,
  }
}

const startTotp = async ({ visit, useCases }: Sent): Promise<Reply> => {
  const started = await useCases.enrolTotp?.start(visit.caller)()
  if (started === undefined) return toList(visit)
  if (isRight(started)) return { page: await enrolmentPage(visit, started.right) }
  // The list says why.
  if (started.left._tag === 'Invalid') return toList(visit)
  return started.left._tag === 'InsufficientAuthentication' ? toStepUp(visit) : failed(visit, started.left)
}

/** Shows the same enrolment again after a mistake: the app has its secret already. */
const completeTotp = async (sent: Sent): Promise<Reply> => {
  const { visit, form, useCases } = sent
  const { enrolTotp } = useCases
  if (enrolTotp === undefined) return toList(visit)
  const { enrolment, totp, factor_id: factorId } = form
  const name = isPresent(form.name) ? form.name : visit.language.say('security.totp')
  const completed = await enrolTotp.complete(visit.context, visit.caller, { enrolment, totp, name })()
  if (isRight(completed)) return added(visit, 'totp', completed.right)
  const failure = completed.left
  if (failure._tag !== 'Invalid')
    return failed(
      visit,
      failure,
      enrolmentForm(visit, { enrolment: enrolment ?? '', factorId: factorId ?? '' }, form),
    )
  const started = toUndefined(enrolTotp.resume(visit.caller, enrolment))
  if (started === undefined || failure.problems.includes('EnrolmentEnded'))
    return (await addedBefore(sent, 'totp', factorId)) ?? { page: endedPage(visit), status: 422 }
  const errors = errorsIn(visit.language.say, failure.problems)
  return { page: await enrolmentPage(visit, started, { values: form, errors }), status: 422 }
}

const completePasskey = async (sent: Sent): Promise<Reply> => {
  const { visit, form, useCases } = sent
  const enrol = useCases.passkeys?.enrol
  if (enrol === undefined) return toList(visit)
  const { credential } = form
  const name = visit.language.say('security.passkey')
  const completed = await enrol.complete(visit.context, visit.caller, { credential, name })()
  if (isRight(completed)) return added(visit, 'passkey', completed.right)
  const failure = completed.left
  if (failure._tag === 'PasskeysOff') return toList(visit)
  if (failure._tag !== 'Invalid') return failed(visit, failure)
  const before = failure.problems.includes('CredentialYours') ? await addedBefore(sent, 'passkey') : undefined
  return before ?? showList(sent, errorsIn(visit.language.say, failure.problems))
}

type Added = 'totp' | 'passkey'

/** The first factor brings recovery codes. Only this answer shows them. */
const added = (
  visit: SignedInVisit,
  kind: Added,
  { recoveryCodes }: Readonly<{ recoveryCodes: Option<ReadonlyArray<string>> }>,
): Reply =>
  isSome(recoveryCodes)
    ? { page: codesPage(visit, visit.language.say(`security.${kind}_added`), recoveryCodes.value) }
    : toList(visit, `${kind}_added`)

/**
 * A form that is sent twice, for example to two instances, adds its factor once: the second answer says so. Undefined if no such factor was
 * added.
 */
const addedBefore = async (
  { visit, useCases }: Sent,
  kind: Added,
  factorId?: Field,
): Promise<Reply | undefined> => {
  const found = await useCases.listFactors(visit.caller)()
  if (isLeft(found)) return failed(visit, found.left)
  const factors = found.right.factors.filter((one) => !isIdentity(one))
  if (kind === 'totp' && !factors.some(({ id }) => id === factorId)) return undefined
  return factors.length === 1
    ? { page: onlyOncePage(visit, visit.language.say(`security.${kind}_already`)) }
    : toList(visit, `${kind}_added`)
}

const showRenaming = async ({ visit, form, useCases }: Sent): Promise<Reply> => {
  const found = await useCases.listFactors(visit.caller)()
  if (isLeft(found)) return failed(visit, found.left)
  const factor = found.right.factors.find(({ id }) => id === form.factor_id)
  return factor === undefined ? toList(visit, 'factor_gone') : { page: renamingPage(visit, factor) }
}

const rename = async ({
  visit,
  form: { factor_id: factorId, name, kind },
  useCases,
}: Sent): Promise<Reply> => {
  const renamed = await useCases.renameFactor(visit.context, visit.caller, { factorId, name })()
  if (isRight(renamed)) return toList(visit, 'factor_renamed')
  const failure = renamed.left
  if (failure._tag !== 'Invalid') return failed(visit, failure)
  if (failure.problems.some((problem) => problem === 'FactorNotYours' || problem === 'FactorIdMissing'))
    return toList(visit, 'factor_gone')
  const errors = errorsIn(visit.language.say, failure.problems)
  return {
    page: renamingPage(
      visit,
      { id: factorId ?? '', name: name ?? '', kind: kind === 'identity' ? kind : 'totp' },
      errors,
    ),
    status: 422,
  }
}

const askRemoval = async ({ visit, form, useCases }: Sent): Promise<Reply> => {
  const found = await useCases.listFactors(visit.caller)()
  if (isLeft(found)) return failed(visit, found.left)
  const { factors } = found.right
  const factor = factors.find(({ id }) => id === form.factor_id)
  return factor === undefined
    ? toList(visit, 'factor_gone')
    : { page: removingPage(visit, factor, isLastOf(factors, factor)) }
}

/** A factor that is gone already was removed, too. */
const remove =
  (notice: NoticeName) =>
  async ({ visit, form: { factor_id: factorId }, useCases }: Sent): Promise<Reply> => {
    const removed = await useCases.removeFactor(visit.context, visit.caller, { factorId })()
    if (isRight(removed)) return toList(visit, notice)
    if (removed.left._tag !== 'Invalid') return failed(visit, removed.left)
    return toList(visit, removed.left.problems.includes('LastWayIn') ? 'last_way_in' : notice)
  }

/** The answer of the provider comes to a page of its own. */
const startLink = async ({ visit, form: { provider = '' }, useCases, cookies }: Sent): Promise<Reply> => {
  const started = await useCases.pageIdentities?.startLink(visit.caller, { provider })()
  if (started === undefined) return toList(visit)
  if (isRight(started)) return toProvider(cookies, visit, started.right, { purpose: 'link', provider })
  // The list says why.
  return started.left._tag === 'Invalid' ? toList(visit) : failed(visit, started.left)
}

const renewCodes = async ({ visit, form: { version = '' }, useCases }: Sent): Promise<Reply> => {
  const renewed = await useCases.renewRecoveryCodes(visit.context, visit.caller, version)()
  if (isLeft(renewed)) return renewed.left._tag === 'Invalid' ? toList(visit) : failed(visit, renewed.left)
  const { say } = visit.language
  return {
    page:
      renewed.right.length === 0
        ? onlyOncePage(visit, say('security.codes'), say('security.codes_changed'))
        : codesPage(visit, say('security.codes_made'), renewed.right),
  }
}

/** What each form does, and what the API asks for it. */
const STEPS: ReadonlyMap<string, readonly [Permission, (sent: Sent) => Promise<Reply>]> = new Map([
  ['add_totp', ['startEnrolment', startTotp]],
  ['complete_totp', ['completeEnrolment', completeTotp]],
  ['add_passkey', ['completeEnrolment', completePasskey]],
  ['rename', ['renameFactor', showRenaming]],
  ['save_name', ['renameFactor', rename]],
  ['ask_removal', ['removeFactor', askRemoval]],
  ['remove', ['removeFactor', remove('factor_removed')]],
  [REMOVE_IDENTITY, ['removeFactor', remove('identity_removed')]],
  [LINK_IDENTITY, ['startIdentityLink', startLink]],
  ['recovery_codes', ['renewRecoveryCodes', renewCodes]],
])
