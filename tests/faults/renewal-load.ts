import type { Tools } from './life-load.ts'
import { isAlive, type Person, type Session } from './oracle.ts'
import type { Asking, Reply } from './requests.ts'

type Asks = readonly [Asking, Asking]

/**
 * One step with renewals and step-ups: alone, of a session that has ended, two at once, or beside what ends the session. `other` may be
 * the same session.
 */
export const renewalStep = async (
  person: Person,
  [session, other]: readonly [Session, Session],
  { asks, tools }: Readonly<{ asks: Asks; tools: Tools }>,
): Promise<void> => {
  const { dice, expected, unavailable, applicationToken, newPassword } = tools
  const [ask, askBeside] = asks
  const renew = (isAlone = true, of = session): Promise<Reply> =>
    ask.renew(person, of, { token: applicationToken(), isAlone })
  /** A renewal, and what may end its session at the same time. */
  const beside = async (what: string, change: () => Promise<Reply>): Promise<void> => {
    const [renewal, changed] = await Promise.all([renew(), change()])
    expected(`a renewal beside ${what}`, renewal, 200, 422, ...unavailable)
    expected(`${what} beside a renewal`, changed, 200, ...unavailable)
  }

  const stepUp = (of = session): Promise<Reply> => ask.stepUp(person, of, person.password)
  /** A step-up, and what may end its session or change the password at the same time. */
  const stepBeside = async (
    what: string,
    change: () => Promise<Reply>,
    ...refused: ReadonlyArray<number>
  ): Promise<void> => {
    const [step, changed] = await Promise.all([stepUp(), change()])
    expected(`a step-up beside ${what}`, step, 200, ...refused, ...unavailable)
    expected(`${what} beside a step-up`, changed, 200, ...unavailable)
  }

  const lot = dice.below(25)
  if (lot < 6) expected('a renewal', await renew(), 200, ...unavailable)
  else if (lot < 7) {
    const ended = person.sessions.find((one) => !isAlive(person, one))
    if (ended) expected('a renewal of an ended session', await renew(true, ended), 422, ...unavailable)
  } else if (lot < 9) {
    const both = await Promise.all([
      renew(false),
      askBeside.renew(person, session, { token: applicationToken(), isAlone: false }),
    ])
    for (const reply of both) expected('one of two renewals', reply, 200, ...unavailable)
  } else if (lot < 11) await beside('a sign-out', () => askBeside.signOut(person, session))
  else if (lot < 13)
    await beside('a change', () => askBeside.changePassword(person, other, person.password, newPassword()))
  else if (lot < 14) await beside('an end of sessions', () => askBeside.manage(person, 'end_sessions'))
  else if (lot < 15) await beside('a disabling', () => askBeside.manage(person, 'disable'))
  else if (lot < 18) expected('a step-up', await stepUp(), 200, ...unavailable)
  else if (lot < 19) {
    const ended = person.sessions.find((one) => !isAlive(person, one))
    if (ended) expected('a step-up of an ended session', await stepUp(ended), 401, ...unavailable)
  } else if (lot < 20)
    expected(
      'a step-up with a wrong password',
      await ask.stepUp(person, session, 'wrong'),
      422,
      ...unavailable,
    )
  else if (lot < 21) await stepBeside('a sign-out', () => askBeside.signOut(person, session), 401)
  else if (lot < 23) {
    const change = () => askBeside.changePassword(person, other, person.password, newPassword())
    await stepBeside('a change', change, 401, 422)
  } else if (lot < 24) {
    await stepBeside('a renewal', () => askBeside.renew(person, session, { token: applicationToken() }))
  } else await stepBeside('a disabling', () => askBeside.manage(person, 'disable'), 401)
}
