import Koa, { type Context } from 'koa'
import { PortcullisUnavailable, type Problem, type Visitor } from 'portcullis-client'
import getRawBody from 'raw-body'

export type Input = Readonly<Record<string, string>>
/** A signed-in user, and what this user may do. */
export type User = Visitor & Readonly<{ id: string; email: string }>
/** What the client returns for a refused request, or `failure`. */
type Failure = Readonly<{ ok: false; problems: ReadonlyArray<Problem>; retryAfter?: number | undefined }>
/** A success redirects to the page, or shows something once. With `isBegun`, the page has the next step. */
export type Outcome = Readonly<{ ok: true; show?: Html; isBegun?: true }> | Failure
/** What a form does. The names of its input are those of the client: `newPassword`. */
export type Run = (input: Input, user: User, ctx: Context) => Promise<Outcome>
/** `who` sees a form: guests, users, those with a link from a mail, or those to whom a part of the page shows it. */
export type Form = Readonly<{
  who: 'guest' | 'user' | 'link' | 'part'
  title: string
  fields?: Input
  run: Run
}>
export type Forms = Readonly<Record<string, Form>>
export type Failed = Readonly<{ name: string; input: Input; answer: Failure }>

export const failure = (message: string, code = 422, retryAfter?: number): Failure => ({
  ok: false,
  problems: [{ field: '', reason: 'other', code, message }],
  retryAfter,
})
/** Shows what the client throws: without second factors, Portcullis answers their forms with 404. */
const failureOf = (error: Error): Failure => {
  if (error instanceof PortcullisUnavailable)
    return failure('Portcullis did not answer.', 503, error.retryAfter)
  if (error.name === 'RequestRefused' && 'status' in error)
    return failure(error.message, Number(error.status))
  throw error
}

/** HTML as a list of parts. A string that `html` inserts is text, and is escaped. */
export type Html = ReadonlyArray<string>
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
export const html = (fixed: TemplateStringsArray, ...parts: ReadonlyArray<string | Html>): Html => [
  String.raw({ raw: fixed }, ...parts.map((one) => (typeof one === 'string' ? escaped(one) : one.join('')))),
]

type InputKind = Readonly<{ type: string; mode?: string; keeps?: true; label?: string }>
const PASSWORD: InputKind = { type: 'password' }
/** The inputs that are no passwords. */
const INPUTS: Readonly<Record<string, InputKind>> = {
  email: { type: 'email', mode: 'email', keeps: true },
  name: { type: 'text', keeps: true },
  totp: { type: 'text', mode: 'numeric', label: 'code of the app' },
  recoveryCode: { type: 'text' },
  remember: { type: 'checkbox', label: 'remember me' },
}

/** `newPassword` → `new password`. */
const labelOf = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const textsOf = (problems: ReadonlyArray<Problem> = [], isHere: (field: string) => boolean): string =>
  problems.flatMap(({ field, message }) => (isHere(field) ? [message] : [])).join(' ')

/** Makes a form with each problem of a refused request at its field. It keeps a typed e-mail or name, and no secret. */
export const formsOf =
  (forms: Forms) =>
  (name: string, failed?: Failed, [key, value]: readonly [string, string] = ['', '']): Html => {
    const { title = '', fields = {} } = forms[name] ?? {}
    const { answer, input = {} } = failed?.name === name ? failed : {}
    const inputs = Object.entries(fields).flatMap(([field, autocomplete]) => {
      const { type, mode = 'text', keeps, label = labelOf(field) } = INPUTS[field] ?? PASSWORD
      const id = `${name}-${field}-${key === 'factorId' ? value : ''}`
      return html`<p><label>${label} <input name="${field}" type="${type}" inputmode="${mode}"
        value="${(keeps && input[field]) ?? ''}" autocomplete="${autocomplete}" aria-describedby="${id}"></label>
        <strong id="${id}">${textsOf(answer?.problems, (at) => at === field)}</strong></p>`
    })
    return html`<form method="post" action="/${name}"><h2>${title}</h2>
      <p role="alert">${textsOf(answer?.problems, (at) => at !== '' && !Object.hasOwn(fields, at))}</p>
      <input type="hidden" name="${key}" value="${value}">${inputs}<button>${title}</button></form>`
  }

/** The fields of a form. A form of another site is refused. */
const fieldsIn = async (ctx: Context, site: string): Promise<Input> => {
  const from = ctx.get('Sec-Fetch-Site')
  if (from === '' ? ctx.get('Origin') !== site : from !== 'same-origin') ctx.throw(403)
  const fields = new URLSearchParams(await getRawBody(ctx.req, { limit: '16kb', encoding: 'utf8' }))
  return Object.fromEntries(fields)
}

const HEADERS = {
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export type Site = Readonly<{
  forms: Forms
  /** The URL that browsers use. */
  url: string
  isBehindProxy: boolean
  /** The user of a request, or a guest without token. */
  userOf: (ctx: Context) => Promise<User>
  /** The page. `name` is that of a form behind a link. `failed` is a form that was refused. */
  pageOf: (ctx: Context, user: User, name: string, failed?: Failed) => Promise<Html>
  /** More for the Content-Security-Policy of a page, and its script. */
  scriptFor: (page: Html) => Readonly<{ policy: string; script: Html }>
}>

/** Serves the page at `/`, and its forms. */
export const serveForms = ({ forms, url, isBehindProxy, userOf, pageOf, scriptFor }: Site) =>
  new Koa({ proxy: isBehindProxy, maxIpsCount: 1 }).use(async (ctx) => {
    ctx.set(HEADERS)
    const name = ctx.path.slice(1)
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined
    const isSent = ctx.method === 'POST'
    if (isSent ? !form : ctx.method !== 'GET' || (name !== '' && form?.who !== 'link')) return
    const input = isSent ? await fieldsIn(ctx, url) : {}
    const user = await userOf(ctx).catch((error) => ctx.throw(failureOf(error).problems[0]?.code ?? 503))
    const answer = isSent ? await form?.run(input, user, ctx).catch(failureOf) : undefined
    if (answer?.ok && !answer.show) {
      ctx.status = 303
      return ctx.redirect(answer.isBegun ? '/' : `/?done=${name}`)
    }
    const failed = answer?.ok === false ? { name, input, answer } : undefined
    const page = answer?.ok && answer.show ? answer.show : await pageOf(ctx, user, name, failed)
    const { policy, script } = scriptFor(page)
    ctx.set('Content-Security-Policy', `${POLICY}${policy}`)
    ctx.status = failed?.answer.problems.find(({ field }) => field === '')?.code ?? (failed ? 422 : 200)
    const wait = failed?.answer.retryAfter ? ` Wait ${failed.answer.retryAfter} seconds.` : ''
    const done = forms[String(ctx.query.done)]?.title
    ctx.type = 'html'
    ctx.body = html`<!doctype html><html lang="en"><title>Example</title><h1>Example</h1>
      <p role="alert">${textsOf(failed?.answer.problems, (at) => at === '')}${wait}</p>
      <p role="status">${done ? `Done: ${done}. If it needs a mail, look into your mailbox.` : ''}</p>
      ${page}${script}</html>`.join('')
  })
