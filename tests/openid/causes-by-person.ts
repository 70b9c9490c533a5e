import { expect } from 'chai'
import { hiddenIn, onceIn } from '../account-pages/browser-desk.ts'
import type { PageAnswer } from '../account-pages/pages-service.ts'
import { eventsOf } from '../support/events.ts'
import { SESSIONS, sessionsAt } from '../support/sessions.ts'
import { ALL, type Cause, CLIENT, type Ends, enrol, NEW, NOTHING, post, SSO } from './causes.ts'
import type { SignedIn } from './signed-in.ts'
import { revoke, type TwoProviders } from './two-providers.ts'

/** Sends a form of the pages in the browser, with the hidden fields of the page. */
const send = async (
  { browser }: SignedIn,
  path: string,
  fields: Readonly<Record<string, string>> | ((page: PageAnswer) => Readonly<Record<string, string>>),
): Promise<void> => {
  const page = await browser.get(path)
  expect(page.status, page.html).to.equal(200)
  const sent = typeof fields === 'function' ? fields(page) : fields
  const answer = await browser.post(path.split('?')[0] ?? '', { once: onceIn(page), ...sent })
  expect(answer.status, answer.html).to.be.oneOf([200, 303])
}

/** The session of the pages in this browser. */
const sessionOfPages = async ({ store }: TwoProviders, { person, sessionId }: SignedIn): Promise<string> => {
  const opened = (await eventsOf(store, 'UserSignedIn'))
    .filter(({ subject }) => subject.id === person.id)
    .flatMap((entry) => (entry.type === 'UserSignedIn' ? [entry.data] : []))
  const browserId = opened.find(({ session_id: id }) => id === sessionId)?.browser_id
  const inBrowser = opened.filter(({ browser_id: id }) => id === browserId)
  return inBrowser.find(({ session_id: id }) => id !== sessionId)?.session_id ?? ''
}

/** Signs Eve in in this browser, after the page has asked. */
const signEveIn = async ({ providers, here: { browser } }: Ends): Promise<void> => {
  const { email, password } = await providers.newPerson()
  const asked = await browser.signIn({ email, password })
  expect(asked.status).to.equal(422)
  const replaces = hiddenIn(asked, 'replaces')
  expect((await browser.signIn({ email, password, replaces })).status).to.equal(303)
}

/** What a person does on the pages. */
export const OF_BROWSERS: Readonly<Record<string, Cause>> = {
  'a sign-out on the pages': {
    end: ({ here }) => send(here, '/account/sign-out', {}),
    here: ALL,
    there: NOTHING,
    writes: 'UserSignedOut',
  },
  'a logout of the client that the person confirms': {
    end: ({ here }) =>
      send(here, `/oauth2/end_session/confirm?id_token_hint=${here.idToken}`, {
        id_token_hint: here.idToken,
        post_logout_redirect_uri: here.client.logoutUri,
      }),
    here: ALL,
    there: NOTHING,
    writes: 'UserSignedOut',
  },
  'a logout of the client that the person does not confirm': {
    end: ({ here }) => here.browser.get(`/oauth2/end_session?id_token_hint=${here.idToken}`),
    here: NOTHING,
    there: NOTHING,
  },
  'a new sign-in in the browser': {
    end: ({ here }) => here.browser.signIn(),
    here: NOTHING,
    there: NOTHING,
    writes: 'UserSignedIn',
  },
  'the sign-in of another person in the browser': {
    end: signEveIn,
    here: ALL,
    there: NOTHING,
    writes: 'UserSignedOut',
  },
  'the end of the session of the client elsewhere, on the pages': {
    end: ({ here, there }) => send(here, '/account', { step: 'end_session', session_id: there.sessionId }),
    here: NOTHING,
    there: CLIENT,
    writes: 'UserSignedOut',
  },
  'the end of the session of the pages elsewhere, on the pages': {
    end: async ({ providers, here, there }) =>
      send(here, '/account', {
        step: 'end_session',
        session_id: await sessionOfPages(providers, there),
      }),
    here: NOTHING,
    there: SSO,
    writes: 'UserSignedOut',
  },
  'the end of all others on the pages': {
    end: ({ here }) => send(here, '/account', { step: 'end_others' }),
    here: CLIENT,
    there: ALL,
    writes: 'OtherSessionsEnded',
  },
  'a new password on the pages': {
    end: ({ here }) => send(here, '/account/password', { old_password: here.person.password, ...NEW }),
    here: CLIENT,
    there: ALL,
    writes: 'PasswordChanged',
  },
  'the removal of the account on the pages': {
    end: ({ here }) =>
      send(here, '/account/remove', (page) => ({
        session_id: hiddenIn(page, 'session_id'),
        password: here.person.password,
        sure: 'on',
      })),
    here: ALL,
    there: ALL,
    writes: 'UserRemoved',
  },
}

/** What a client does with the tokens of a person. */
export const OF_TOKENS: Readonly<Record<string, Cause>> = {
  'a sign-out with the access token': {
    end: ({ providers: { one }, here: { access: token } }) =>
      one.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token }),
    here: CLIENT,
    there: NOTHING,
    writes: 'UserSignedOut',
  },
  'the end of the session of the client elsewhere, with the access token': {
    end: ({ providers: { one }, here, there }) =>
      sessionsAt(one).end(here.access, { session_id: there.sessionId }),
    here: NOTHING,
    there: CLIENT,
    writes: 'UserSignedOut',
  },
  'the end of the session of the pages elsewhere, with the access token': {
    end: async ({ providers, here, there }) =>
      post(providers.one, `${SESSIONS}/end`, here.access, {
        session_id: await sessionOfPages(providers, there),
      }),
    here: NOTHING,
    there: SSO,
    writes: 'UserSignedOut',
  },
  'the end of all others with the access token': {
    end: ({ providers: { one }, here }) => sessionsAt(one).endOthers(here.access),
    here: SSO,
    there: ALL,
    writes: 'OtherSessionsEnded',
  },
  'a new password with the access token': {
    end: ({ providers: { one }, here: { access, person } }) =>
      post(one, '/api/v1/profile/change_password', access, { old_password: person.password, ...NEW }),
    here: SSO,
    there: ALL,
    writes: 'PasswordChanged',
  },
  'the removal of the account with the access token': {
    end: ({ providers: { one }, here: { access, person } }) =>
      post(one, '/api/v1/profile/remove', access, { password: person.password }),
    here: ALL,
    there: ALL,
    writes: 'UserRemoved',
  },
  'the revocation of the access token': {
    end: ({ providers: { one }, here }) => revoke(one, here.client, here.access),
    here: CLIENT,
    there: NOTHING,
    writes: 'UserSignedOut',
  },
  'the revocation of the refresh token': {
    end: ({ providers: { one }, here }) => revoke(one, here.client, here.refresh),
    here: CLIENT,
    there: NOTHING,
    writes: 'UserSignedOut',
  },
  'the revocation of a refresh token by another client': {
    end: async ({ providers, here }) =>
      revoke(providers.one, await providers.newClient('foreign'), here.refresh),
    here: NOTHING,
    there: NOTHING,
  },
  'a second factor that the person adds with the access token': {
    end: enrol,
    here: SSO,
    there: ALL,
    writes: 'FactorEnrolled',
    emailVerified: true,
  },
}
