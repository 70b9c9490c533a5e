import type { Context } from 'koa'
import type { Portcullis } from 'portcullis-client'
import { type formsOf, type Html, html, type User } from './browser.ts'

/** Who is signed in, by the cookie of the client. */
export const sessions = (auth: Portcullis) => ({
  /** The user of a request. A guest has an empty token. */
  userOf: async (ctx: Context): Promise<User> => {
    const { profile: { id, email } = { id: '', email: '' }, ...visitor } = await auth.cookies.visitor(
      ctx.get('Cookie'),
    )
    ctx.append('Set-Cookie', visitor.setCookies)
    return { id, email, ...visitor }
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
