import { expect } from 'chai'
import { codeOfLink, codesAtFields } from '../account-pages/pages-service.ts'
import { expectStrictHead, expectStrictPage } from '../account-pages/strict-page.ts'
import { spellingsOf } from '../support/spellings.ts'
import type { StrictAnswer } from '../support/strict-answers.ts'

/** The secrets that must not appear outside the one response that returns them. */
export type Canaries = Readonly<{
  /** Part of every password and e-mail. */
  mark: string
  /** Secrets that no response may contain. */
  never: ReadonlyArray<string>
  /** The tokens of the clients. */
  tokens: ReadonlyArray<string>
  email: string
  /** Of the session. Only the list of its user shows it. */
  label: string
}>

/** Checks the rules for every response. */
export const validateAnswer = (answer: StrictAnswer, canaries: Canaries): void => {
  const { status, headers, body, text } = answer
  expect(headers, text).to.deep.include({ 'x-content-type-options': 'nosniff' })
  expect(headers['cache-control'], text).to.be.oneOf([...cachingOf(answer)])
  expect(headers['x-request-id'], text).to.match(/^[A-Za-z0-9._-]{1,64}$/)
  expect(headers, text).not.to.have.any.keys('server', 'x-powered-by')
  // Only a success on the pages sets cookies, and leads on.
  if (headers['set-cookie'] !== undefined) {
    expect(headers['set-cookie'], text).to.match(/^__Host-portcullis(?:-2nd)?=/)
    expect(status, text).to.equal(303)
  }
  expect(text.replaceAll('Node.js', 'Node')).not.to.match(STACK_OR_PATH) // the name of a metric, not of a file
  if (status >= 500) expect(status, text).to.equal(503)
  if (status === 503 || status === 429) expect(headers['retry-after'], text).to.match(/^\d+$/)
  if (status === 401) expect(headers['www-authenticate'], text).to.match(/^(?:Bearer|Basic) realm="/)
  if (status === 405) expect(headers.allow, text).to.match(/^[A-Z]+(, [A-Z]+)*$/)
  if (isPage(answer)) validatePage(answer)
  else if (body !== '') validateBody(answer, canaries)
  const { 'x-request-id': _, ...rest } = headers
  const shown = `${Object.entries(rest).flat().join('\n')}\n${withoutOwn(answer, canaries)}`
  expect(secretsIn(shown, canaries), text).to.deep.equal([])
}

/** HTML comes from the pages for people, and from /docs, which has no form. */
const isPage = ({ headers, body }: StrictAnswer): boolean =>
  headers['content-type']?.startsWith('text/html') === true && !body.includes(TITLE_OF_DOCS)

const TITLE_OF_DOCS = ': HTTP reference</title>'

const validatePage = ({ status, headers, body, text }: StrictAnswer): void => {
  expect(status, text).to.be.oneOf(PAGE_STATUSES)
  if (body === '') {
    expectStrictHead(headers, referrerOf(headers))
    return
  }
  const isOfToken = body.includes('name="token"') || body.includes(UNUSABLE_LINK)
  expectStrictPage({ headers, html: body }, isOfToken ? 'no-referrer' : referrerOf(headers))
  const codes = [...Object.values(codesAtFields(body)), codeOfLink(body)].filter((code) => code !== undefined)
  // A link that cannot be used is no mistake of a form.
  if (status !== 200 || !body.includes(UNUSABLE_LINK)) expect(codes.length > 0, text).to.equal(status === 422)
}

const UNUSABLE_LINK = '<h2>This link cannot be used</h2>'

/** A page says where its forms come from, unless its link has a token. */
const referrerOf = ({ 'referrer-policy': policy }: StrictAnswer['headers']) =>
  policy === 'same-origin' ? policy : 'no-referrer'

const PAGE_STATUSES = [200, 400, 403, 413, 415, 422, 429, 503]

const cachingOf = (answer: StrictAnswer): ReadonlyArray<string> => {
  if (answer.status === 200 && answer.headers['content-type'] === 'application/octet-stream') return [TILE]
  return isPublished(answer) ? PUBLISHED : ['no-store']
}

const TILE = 'private, max-age=31536000, immutable'

/** A response with an ETag is public. Only key sets, metadata and the password policy have one. */
const isPublished = ({ status, headers, body }: StrictAnswer): boolean =>
  headers.etag !== undefined &&
  (status === 304 || (status === 200 && /^(?:$|\{"keys":\[|\{"issuer":"|\{"policy":")/.test(body)))

/** The second one for the password policy. */
const PUBLISHED = ['public, max-age=60, must-revalidate', 'public, max-age=60']

const validateBody = ({ status, headers, body, text }: StrictAnswer, { email }: Canaries): void => {
  if (status >= 200 && status < 400) {
    if (isProfile(body)) expect(JSON.parse(body).email, text).to.equal(email)
    return
  }
  expect(headers['content-type'], text).to.equal('application/json; charset=utf-8')
  const {
    errors,
    error,
    error_description: description,
    second_factor: waiting,
    ...envelope
  } = JSON.parse(body)
  expect(waiting === undefined || [4, 8].includes(errors[0].code), text).to.equal(true)
  expect(envelope, text).to.have.all.keys('success', 'code', 'message')
  expect(envelope, text).to.deep.include({ success: false, code: status })
  expect(envelope.message, text).to.be.a('string').with.length.above(0)
  expect(description, text).to.equal(error === undefined ? undefined : envelope.message)
  if (status !== 422) {
    expect(errors, text).to.equal(undefined)
    return
  }
  expect(errors, text).to.be.an('array').with.length.above(0)
  for (const [index, error] of errors.entries()) {
    expect(error, text).to.have.all.keys('code', 'message', 'param')
    expect(error.code, text).to.be.above(index === 0 ? 0 : errors[index - 1].code)
    expect(error.message, text).to.be.a('string').with.length.above(0)
    expect(error.param, text).to.match(/^[a-z_]+$/)
  }
}

/**
 * A line of a stack trace, or a file of the service or of a library, with or without a position. The signature of a JWT may begin
 * with `js-`.
 */
const STACK_OR_PATH =
  /\n\s+at |node_modules|node:internal|file:\/\/|\.[cm]?[jt]s(?![\w-])|\/(?:dist|adapters|home|root|tmp|usr|work)\//

const isProfile = (body: string): boolean => PROFILE.test(body)

const PROFILE =
  /^\{"email":"([^"]*)","id":"[0-9a-f-]{36}","email_verified":(?:true|false),"roles":\[[^\]]*\](?:,"[a-z_]+":"[^"]*")*(?:,"metadata":\{[^}]*\})?\}$/

const REGISTERED = /^\{"id":"[0-9a-f-]{36}","email":"[^"]*","email_verified":(?:true|false)\}$/

/** The URI contains the e-mail of the user. */
const STARTED_ENROLMENT =
  /^\{"enrolment":"[\w-]+","secret":"[A-Z2-7]{32}","uri":"otpauth:[^"]+","expires_in":600\}$/

/** The options contain the e-mail of the user. */
const STARTED_REGISTRATION =
  /^\{"options":\{"rp":\{[^}]+\},"user":\{"id":"[\w-]{22}","name":"([^"]+)","displayName":"\1"\},"challenge":"[\w-]+",.*"attestation":"none"\},"expires_in":300\}$/

const ENROLLED =
  /^\{"id":"[0-9a-f-]{36}","kind":"(?:totp|passkey)","name":"[^"]*","token":"[\w.-]+","expires_in":\d+,"acr":"aal2","amr":\[(?:"pwd"|"vouched","fed"|"fed"),(?:"otp"|"pop","user"),"mfa"\],"roles":\[[^\]]*\],"recovery_codes":(?:null|\["[a-z2-7",-]+\])\}$/

const LINKED =
  /^\{"id":"[0-9a-f-]{36}","name":"Google","token":"[\w.-]+","expires_in":\d+,"acr":"aal1","amr":\["pwd"\],"roles":\[[^\]]*\]\}$/

/** A sign-in that waits for the second factor. */
const WAITING =
  /,"second_factor":\{"token":"ost_\w+","expires_in":300,"methods":\["(?:totp|passkey)","recovery_code"\]\}\}$/

const STARTED_RECOVERY =
  /^\{"token":"ort_\w+","expires_in":\d+,"user_id":"[0-9a-f-]{36}","email":"([^"]+)","email_verified":(?:true|false)\}$/

const INTROSPECTED_USER =
  /^\{"active":true,"token_type":"Bearer","kind":"user","iss":"[^"]+","sub":"[^"]+","sid":"[^"]+","iat":\d+,"exp":\d+,"jti":"[^"]+","auth_time":\d+,"acr":"aal[12]","amr":\[(?:"pwd"|"vouched","fed"|"fed")(?:,(?:"otp"|"pop","user"),"mfa")?\],(?:"roles":\[[^\]]*\],)?"client_id":"[^"]+","username":"([^"]+)"\}$/

/** A page of a search, which shows the e-mails of all users. */
const isUserPage = (body: string): boolean =>
  /^\{"users":\[(?:\{"id":"[0-9a-f-]{36}","email":"[^"]+","email_verified":(?:true|false),"status":"(?:en|dis)abled","created_at":"[^"]+","has_password":(?:true|false),"roles":\[[^\]]*\](?:,"[a-z_]+":"[^"]*")*(?:,"metadata":\{[^}]*\})?\},?)*\],"next":(?:null|"[0-9a-f-]{36}")\}$/.test(
    body,
  )

/** The beginning of a shown user, which has the e-mail. Names of factors and labels follow. */
const SHOWN_USER =
  /^\{"id":"[0-9a-f-]{36}","email":"[^"]*","email_verified":(?:true|false),"status":"(?:en|dis)abled","created_at":"[^"]+","has_password":(?:true|false),"roles":\[[^\]]*\](?:,"[a-z_]+":"[^"]*")*(?:,"metadata":\{[^}]*\})?,(?="factors":\[)/

/** The attributes of a user after a change. A request may send anything as a name. */
const CHANGED_ATTRIBUTES =
  /^\{(?:"(?:name|given_name|family_name|picture|locale|zoneinfo)":"(?:[^"\\]|\\.)*"(?:,(?=")|(?=\})))*(?:"metadata":\{[^}]*\})?\}$/

/** A body without the token, e-mail or label that it legitimately returns, in the exact shape of such a response. */
const withoutOwn = (answer: StrictAnswer, { email, label }: Canaries): string => {
  const { status, body } = answer
  if (isPage(answer))
    return body
      .replace(SENT_EMAIL, '')
      .replace(SENT_TOKEN, '')
      .replace(SAME_LINK, '')
      .replace(OWNER_OF_LINK, (all, inForm, shown) => ((inForm ?? shown) === email ? '' : all))
  if (status === 200) {
    if (isUserPage(body)) return ''
    if (STARTED_ENROLMENT.test(body) || CHANGED_ATTRIBUTES.test(body)) return ''
    if (SHOWN_USER.test(body)) return body.replace(SHOWN_USER, '').replace(/"(name|label)":"[^"]*"/g, '')
    if (body.startsWith('{"factors":[')) return body.replace(/"name":"[^"]*"/g, '')
    if (body.startsWith('{"sessions":[')) return body.replace(`"label":"${label}"`, '')
    return body
      .replace(
        /^\{"token":"[\w.-]+"(,"expires_in":\d+,"user_id":"[0-9a-f-]{36}","email_verified":(true|false),"acr":"aal(1","amr":\[(?:"pwd"|"vouched","fed"|"fed")|2","amr":\[(?:"pwd"|"vouched","fed"|"fed"),"(otp|recovery_code)","mfa"|2","amr":\[("pwd",)?"pop","user","mfa")\],"roles":\[[^\]]*\],"session_expires_in":\d+(?:,"is_new":(?:true|false))?)?\}$/,
        '',
      )
      .replace(
        /^\{"token":"[\w.-]+","expires_in":\d+,"acr":"aal1","amr":\[(?:"pwd"|"vouched","fed"|"fed")\],"roles":\[[^\]]*\]\}$/,
        '',
      )
      .replace(STARTED_REGISTRATION, (all, name) => (name === email ? '' : all))
      .replace(STARTED_RECOVERY, (all, name) => (name === email ? '' : all))
      .replace(/^\{"token":"oct_\w+","expires_in":\d+,"notify":(?:null|"[^"]+")\}$/, '')
      .replace(
        /^\{"access_token":"[\w.-]+","token_type":"Bearer","expires_in":\d+,"scope":"[a-z_: ]+"\}$/,
        '',
      )
      .replace(PROFILE, (all, name) => (name === email ? '' : all))
      .replace(INTROSPECTED_USER, (all, name) => (name === email ? '' : all))
  }
  if (status === 422) return body.replace(WAITING, '')
  return status === 201 ? body.replace(REGISTERED, '').replace(ENROLLED, '').replace(LINKED, '') : body
}

/** The values that a page shows its sender again: the e-mail, and the token of the link, which is also in the link to another language. */
const SENT_EMAIL =
  /(?<=<input id="email" name="email" type="email" autocomplete="username(?: webauthn)?" required) value="[^"]*"/
const SENT_TOKEN = /(?<=<input type="hidden" name="token") value="[^"]*"/
const SAME_LINK = /(?<=<a) href="\/account\/(?:recovery|email)\?[^"]*"/

/** The page behind a link names its owner. */
const OWNER_OF_LINK =
  /(?<=<input id="username" name="username" type="email" autocomplete="username" readonly) value="([^"]*)"|<p class="who">([^<]*)<\/p>/

/** The secrets in a text, in any spelling. */
export const secretsIn = (text: string, { mark, never, tokens }: Canaries): ReadonlyArray<string> => {
  const lower = text.toLowerCase()
  const shapes = SHAPES.flatMap((shape) => text.match(shape) ?? [])
  const marks = spellingsOf(mark).filter((spelling) => lower.includes(spelling.toLowerCase()))
  return [
    ...shapes,
    ...marks,
    ...[...never, ...tokens].filter((secret) => lower.includes(secret.toLowerCase())),
  ]
}

/** Shapes of tokens, private keys, signing key material and password records. */
const SHAPES = [
  /(?<![\w-])eyJ[\w-]{6,}\.[\w-]/, // with its point, which no random value has
  /v\d\.(?:public|local)\.[\w-]/,
  /(?<![\w-])sk_\w{6}/,
  /(?<![\w-])o[rc]t_\w{6}/,
  /k4\.secret/,
  /"d":/,
  /c2NyeXB0A/,
  /\$\$/,
]
