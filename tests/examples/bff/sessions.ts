import type { Context } from 'koa'
import type { Portcullis } from 'portcullis-client'
import { type formsOf, type Html, html, type User } from './browser.ts'

/** Who is signed in, by the cookie of the client. */
export const sessions = (auth: Portcullis) => ({
  /** The user of a request. A guest has an empty token. */
  userOf: async (ctx: Context): Promise<User> => {
    const visitor = await auth.cookies.read(ctx.get('Cookie'))
    ctx.append('Set-Cookie', visitor.setCookies)
    const profile = await visitor.user.getProfile()
    if (profile.ok) return { id: profile.id, email: profile.email, ...visitor }
    if (profile.refusal !== 'invalid_token') ctx.throw(503)
    if (visitor.token !== '') ctx.append('Set-Cookie', auth.cookies.clear())
    return { ...visitor, token: '', id: '', email: '' }
  },

  /** The sessions of a user, each with the form that ends it. */
  part: async ({ email, user }: User, formOf: ReturnType<typeof formsOf>): Promise<Html> => {
    const answer = await user.listSessions()
    const items = (answer.ok ? answer.sessions : []).flatMap(({ id, createdAt, current }) => {
      const end = current ? html`(this one)` : formOf('end_session', undefined, ['sessionId', id])
      return html`<li>${createdAt ?? ''} ${end}</li>`
    })
    return html`<p>You are signed in as ${email}.</p><ul>${items}</ul>`
  },
})
