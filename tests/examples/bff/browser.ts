import type { Context } from 'koa'
import type { Answer } from '../mail/portcullis.ts'
import { sealer } from '../mail/sealed.ts'

export type Input = Readonly<Record<string, string>>
export type User = Readonly<{ token: string; id: string; email: string }>
/** A success redirects to the page, or shows something once. With `isBegun`, the page has the next step. */
type Outcome = Answer & Readonly<{ show?: Html; isBegun?: true }>
/** What a form does. */
export type Run = (input: Input, user: User, ctx: Context) => Promise<Outcome>
/** `who` sees a form: guests, users, those with a link from a mail, or those to whom a part of the page shows it. */
export type Form = Readonly<{
  who: 'guest' | 'user' | 'link' | 'part'
  title: string
  fields?: Input
  run: Run
}>
export type Forms = Readonly<Record<string, Form>>
export type Failed = Readonly<{ name: string; input: Input; answer: Exclude<Answer, { ok: true }> }>

/** A cookie whose content is encrypted: no script can read it, and this program stores nothing. */
export const sealedCookie = <Content extends Input>(secret: string, name: string) => {
  const { seal, open } = sealer<Content>(secret, `${name} cookie`)
  const valueIn = (ctx: Context): string => ctx.cookies.get(`__Host-${name}`) ?? ''
  const set = (ctx: Context, value: string, age: number): void =>
    ctx.append(
      'Set-Cookie',
      `__Host-${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${age}`,
    )
  return {
    read: (ctx: Context): Promise<Content | undefined> => open(valueIn(ctx)),
    write: async (ctx: Context, content: Content, age: number) => set(ctx, await seal(content, age), age),
    clear: (ctx: Context): void => {
      if (valueIn(ctx) !== '') set(ctx, '', 0)
    },
  }
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
  recovery_code: { type: 'text' },
}

/** Makes a form with each problem of a refused request at its field. It keeps a typed e-mail or name, and no secret. */
export const formsOf =
  (forms: Forms) =>
  (name: string, failed?: Failed, [key, value]: readonly [string, string] = ['', '']): Html => {
    const { title = '', fields = {} } = forms[name] ?? {}
    const { answer, input = {} } = failed?.name === name ? failed : {}
    const problems = (isAt: (param: string) => boolean) =>
      (answer?.errors ?? []).flatMap(({ param, message }) => (isAt(param) ? [message] : [])).join(' ')
    const inputs = Object.entries(fields).flatMap(([field, autocomplete]) => {
      const { type, mode = 'text', keeps, label = field.replaceAll('_', ' ') } = INPUTS[field] ?? PASSWORD
      const id = `${name}-${field}-${key === 'factor_id' ? value : ''}`
      return html`<p><label>${label} <input name="${field}" type="${type}" inputmode="${mode}"
        value="${(keeps && input[field]) ?? ''}" autocomplete="${autocomplete}" aria-describedby="${id}"></label>
        <strong id="${id}">${problems((param) => param === field)}</strong></p>`
    })
    return html`<form method="post" action="/${name}"><h2>${title}</h2>
      <p role="alert">${problems((param) => !Object.hasOwn(fields, param))}</p>
      <input type="hidden" name="${key}" value="${value}">${inputs}<button>${title}</button></form>`
  }
