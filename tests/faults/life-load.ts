import { isUsable, type OneTime, type Person, type Session } from './oracle.ts'
import type { Asking, Reply } from './requests.ts'
import type { Chance } from './seed.ts'

/** What a step needs from the load. */
export type Tools = Readonly<{
  dice: Chance
  /** Reports a response with another status. */
  expected: (what: string, reply: Reply, ...statuses: ReadonlyArray<number>) => void
  /** The statuses of a store that takes no change. */
  unavailable: ReadonlyArray<number>
  /** The statuses of a store that cannot be read. */
  unreadable: ReadonlyArray<number>
  newPassword: () => string
  newEmail: () => string
  applicationToken: () => string | undefined
  problems: Array<string>
}>

type Asks = readonly [Asking, Asking]

/** Brings a disabled or removed user back. */
export const comeBack = async (person: Person, [ask]: Asks, tools: Tools): Promise<void> => {
  const { expected, unavailable, newEmail, newPassword } = tools
  if (person.status === 'disabled') {
    expected('an enabling', await ask.manage(person, 'enable'), 200, ...unavailable)
    return
  }
  const credentials = { email: newEmail(), password: newPassword() }
  expected(
    'a registration',
    await ask.register(person, credentials, tools.applicationToken()),
    201,
    ...unavailable,
  )
}

/** One step with one-time tokens, or one that disables or removes the user. */
export const lifeStep = async (
  person: Person,
  session: Session,
  { asks, tools }: Readonly<{ asks: Asks; tools: Tools }>,
): Promise<void> => {
  const { dice, expected, unavailable } = tools
  const [ask] = asks
  const lot = dice.below(30)
  if (lot < 11) await recoveryStep(person, session, { asks, tools })
  else if (lot < 21) await confirmationStep(person, { asks, tools })
  else if (lot < 25) expected('a disabling', await ask.manage(person, 'disable'), 200, ...unavailable)
  else if (lot < 26)
    expected(
      'a removal with a wrong password',
      await ask.removeOwn(person, session, 'wrong'),
      422,
      ...unavailable,
    )
  else if (lot < 28)
    expected('a removal', await ask.removeOwn(person, session, person.password), 200, ...unavailable)
  else expected('a removal by an application', await ask.manage(person, 'remove'), 200, ...unavailable)
  if (person.tokens.length > 6) person.tokens = person.tokens.slice(-6)
}

/** The starts that an e-mail has in an hour. */
const STARTS = 5

const started = (what: string, reply: Reply, { person, tools }: { person: Person; tools: Tools }): void =>
  tools.expected(what, reply, 200, ...(person.starts > STARTS ? [429] : []), ...tools.unavailable)

const chosen = (person: Person, purpose: OneTime['purpose'], usable: boolean): OneTime | undefined =>
  person.tokens.find((token) => token.purpose === purpose && isUsable(person, token) === usable)

export const recoveryStep = async (
  person: Person,
  session: Session,
  { asks, tools }: Readonly<{ asks: Asks; tools: Tools }>,
): Promise<void> => {
  const { dice, expected, unavailable, newPassword } = tools
  const [ask, askBeside] = asks
  const [usable, ended] = [chosen(person, 'recovery', true), chosen(person, 'recovery', false)]
  const lot = dice.below(8)
  if (ended !== undefined && lot < 1)
    expected(
      'a recovery with an ended token',
      await ask.recover(person, ended, newPassword()),
      422,
      ...unavailable,
    )
  else if (usable === undefined || lot < 3)
    started('a start of a recovery', await ask.startRecovery(person), { person, tools })
  else if (lot < 5)
    expected('a recovery', await ask.recover(person, usable, newPassword()), 200, ...unavailable)
  else if (lot < 7)
    oneOf('two uses of a recovery token', tools, [
      ...(await Promise.all([
        ask.recover(person, usable, newPassword()),
        askBeside.recover(person, usable, newPassword()),
      ])),
    ])
  else
    oneOf('a recovery and a change', tools, [
      ...(await Promise.all([
        ask.recover(person, usable, newPassword()),
        askBeside.changePassword(person, session, person.password, newPassword()),
      ])),
    ])
}

const confirmationStep = async (
  person: Person,
  { asks, tools }: Readonly<{ asks: Asks; tools: Tools }>,
): Promise<void> => {
  const { dice, expected, unavailable, newEmail } = tools
  const [ask, askBeside] = asks
  const usable = chosen(person, 'email_confirmation', true)
  const ended = chosen(person, 'email_confirmation', false)
  const lot = dice.below(8)
  if (ended !== undefined && lot < 1)
    expected('a confirmation with an ended token', await ask.confirm(person, ended), 422, ...unavailable)
  else if (usable === undefined || lot < 3) {
    const email = dice.below(3) === 0 ? person.email : newEmail()
    started('a start of a confirmation', await ask.startConfirmation(person, email), { person, tools })
  } else if (lot < 6) expected('a confirmation', await ask.confirm(person, usable), 200, ...unavailable)
  else
    oneOf('two uses of a confirmation token', tools, [
      ...(await Promise.all([ask.confirm(person, usable), askBeside.confirm(person, usable)])),
    ])
}

/** Of several uses exactly one wins, if all got a response. */
const oneOf = (
  what: string,
  { expected, unavailable, problems }: Tools,
  both: ReadonlyArray<Reply>,
): void => {
  for (const reply of both) expected(`one of ${what}`, reply, 200, 401, 422, ...unavailable)
  const statuses = both.map(({ status }) => status)
  const isOpen = statuses.some((status) => status === undefined || unavailable.includes(status))
  if (!isOpen && statuses.filter((status) => status === 200).length !== 1)
    problems.push(`${both[0]?.requestId}: ${what} were answered ${statuses}`)
}
