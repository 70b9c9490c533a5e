import { expect } from 'chai'
import type { EventType } from '../../domain/event.ts'
import { factorDesk } from '../support/factor-desk.ts'
import type { Answer } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { PARTS, type Part, type SignedIn } from './signed-in.ts'
import type { Instance, TwoProviders } from './two-providers.ts'

/** Two browsers of one person, each signed in at the same client. */
export type Ends = Readonly<{ providers: TwoProviders; here: SignedIn; there: SignedIn }>

/** What ends something, done in the browser `here` or beside both, and what of each browser it ends. */
export type Cause = Readonly<{
  end: (ends: Ends) => Promise<unknown>
  here: ReadonlyArray<Part>
  there: ReadonlyArray<Part>
  /** What is in the log afterwards. */
  writes?: EventType
  /** Whether the e-mail of the person is verified before. */
  emailVerified?: true
}>

export const ALL = PARTS
export const NOTHING: ReadonlyArray<Part> = []
/** Single sign-on: the session of the pages. */
export const SSO: ReadonlyArray<Part> = ['sso']
/** The session of the client. */
export const CLIENT: ReadonlyArray<Part> = PARTS.filter((part) => part !== 'sso')

export const NEW = { new_password: 'nine purple otters', new_password_check: 'nine purple otters' }

export const post = async (
  at: Instance,
  path: string,
  token: string,
  body: object = {},
  expected = 200,
): Promise<Answer> => {
  const answer = await at.send({ method: 'POST', path, token, body })
  expect(answer.status, JSON.stringify(answer.body)).to.equal(expected)
  return answer
}

/** The token of a new application with these scopes. */
export const applicationToken = async (
  { one: { service } }: TwoProviders,
  scope: string,
): Promise<string> => {
  const made = await succeed(service.registerApplication(CONTEXT, { name: 'desk', scope }))
  return (await succeed(service.issueApplicationToken(CONTEXT, made))).token
}

export const enrol = async ({ providers: { one, time }, here }: Ends) => {
  const { answer } = await factorDesk(one, () => time.now).enrol(here.access)
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
}
