import type { Tools } from './life-load.ts'
import { isAlive, type Person, type Session } from './oracle.ts'
import type { Asking, Reply } from './requests.ts'

type Asks = readonly [Asking, Asking]

/**
 * One step with renewals: alone, of a session that has ended, two at once, or beside what ends the session. `other` may be the same
 * session.
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

  const lot = dice.below(15)
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
  else await beside('a disabling', () => askBeside.manage(person, 'disable'))
}
