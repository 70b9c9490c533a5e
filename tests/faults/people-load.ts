import { recoveryStep, type Tools } from './life-load.ts'
import type { Person, Session } from './oracle.ts'
import type { Condition } from './people-requests.ts'
import type { Asking } from './requests.ts'

type Asks = readonly [Asking, Asking]

const ROLES = ['editor', 'shop:admin', 'viewer']

/** The sign-ins of one user that an application may vouch for in an hour. */
const VOUCHED = 60

/** A sign-in that an application vouches for. Some claim the account. */
export const vouchedStep = async (
  person: Person,
  { asks: [ask], tools }: Readonly<{ asks: Asks; tools: Tools }>,
): Promise<void> => {
  const { dice, expected, unavailable, unreadable } = tools
  const lot = dice.below(4)
  if (!person.verified && lot < 1) {
    expected('a vouched sign-in by e-mail', await ask.vouchForEmail(person), 422, ...unreadable)
    return
  }
  const reply = await ask.vouch(person, {
    remember: dice.below(2) === 0,
    claims: !person.verified && lot < 2,
  })
  const limited = person.vouched > VOUCHED ? [429] : []
  expected('a vouched sign-in', reply, 200, ...limited, ...unavailable)
}

/** One step with a vouched sign-in, roles, attributes or the administration. */
export const peopleStep = async (
  person: Person,
  session: Session,
  { asks, tools }: Readonly<{ asks: Asks; tools: Tools }>,
): Promise<void> => {
  const { dice, expected, unavailable, unreadable } = tools
  const [ask] = asks
  const lot = dice.below(20)
  if (lot < 6) await vouchedStep(person, { asks, tools })
  else if (lot < 10)
    expected(
      'a change of roles',
      await ask.changeRole(person, dice.of(ROLES) ?? 'editor'),
      200,
      ...unavailable,
    )
  else if (lot < 14) {
    const own = lot < 12 ? session : undefined
    expected(
      'a change of attributes',
      await ask.rename(person, tools.newPassword(), own),
      200,
      ...unavailable,
    )
  } else if (lot < 17) expected('a look at the user', await ask.show(person), 200, ...unreadable)
  else {
    const conditions: ReadonlyArray<Condition> = [
      'email_prefix',
      ...(person.roles.length > 0 ? (['role'] as const) : []),
      ...(person.name === undefined ? [] : (['name_prefix'] as const)),
    ]
    const condition = dice.of(conditions) ?? 'email_prefix'
    expected(`a search by ${condition}`, await ask.search(person, condition), 200, ...unreadable)
  }
}

/** One step of a user who claimed the account, and has no password until a recovery. */
export const stepWithoutPassword = async (
  person: Person,
  session: Session | undefined,
  { asks, tools }: Readonly<{ asks: Asks; tools: Tools }>,
): Promise<void> => {
  const { dice, expected, unavailable, unreadable, applicationToken, newPassword } = tools
  const [ask] = asks
  const lot = dice.below(20)
  if (session === undefined || lot < 2) await vouchedStep(person, { asks, tools })
  else if (lot < 5) await peopleStep(person, session, { asks, tools })
  else if (lot < 8) expected('a profile', await ask.profile(person, session), 200, ...unreadable)
  else if (lot < 10)
    expected(
      'a renewal',
      await ask.renew(person, session, { token: applicationToken() }),
      200,
      ...unavailable,
    )
  else if (lot < 14) await recoveryStep(person, session, { asks, tools })
  else if (lot < 16)
    expected(
      'a sign-in without a password',
      await ask.signIn(person, 'guess', applicationToken()),
      422,
      ...unavailable,
    )
  else if (lot < 17)
    expected('such a step-up', await ask.stepUp(person, session, 'guess'), 422, ...unavailable)
  else if (lot < 18) {
    const change = ask.changePassword(person, session, 'guess', newPassword())
    expected('such a change', await change, 422, ...unavailable)
  } else if (lot < 19)
    expected('such a removal', await ask.removeOwn(person, session, 'guess'), 401, ...unavailable)
  else expected('a removal by an application', await ask.manage(person, 'remove'), 200, ...unavailable)
}
