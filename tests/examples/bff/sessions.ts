import type { Context } from 'koa'
import type { Portcullis } from 'portcullis/client'
import { type formsOf, type Html, html, sealedCookie, type User } from './browser.ts'

/** A token for a user, as sign-in, renewal and step-up return it. */
export type Session = Readonly<{ token: string; expiresIn: number }>

/** Who is signed in: by a cookie with the user token and the time at which half of its life is over, encrypted. */
export const sessions = (auth: Portcullis, secret: string) => {
  const cookie = sealedCookie<{ token: string; renewAt: string }>(secret, 'session')
  const keep = (ctx: Context, { token, expiresIn }: Session): Promise<void> =>
    cookie.write(ctx, { token, renewAt: String(Date.now() + expiresIn * 500) }, expiresIn)

  return {
    keep,
    /** The user, whose session it renews if less than half of its life is left. A guest has an empty token. */
    userOf: async (ctx: Context): Promise<User> => {
      const { token = '', renewAt } = (await cookie.read(ctx)) ?? {}
      const methods = auth.user(token)
      const profile = await methods.getProfile()
      if (profile.ok) {
        const renewed = Date.now() > Number(renewAt) ? await auth.renewSession({ token }) : undefined
        if (renewed?.ok) await keep(ctx, renewed)
        return { ...profile, token, methods }
      }
      if (profile.refusal !== 'invalid_token') ctx.throw(503)
      cookie.clear(ctx)
      return { token: '', id: '', email: '', methods: auth.user('') }
    },

    /** The sessions of a user, each with the form that ends it. */
    part: async ({ email, methods }: User, formOf: ReturnType<typeof formsOf>): Promise<Html> => {
      const answer = await methods.listSessions()
      const items = (answer.ok ? answer.sessions : []).flatMap(({ id, createdAt, current }) => {
        const end = current ? html`(this one)` : formOf('end_session', undefined, ['session_id', id])
        return html`<li>${createdAt ?? ''} ${end}</li>`
      })
      return html`<p>You are signed in as ${email}.</p><ul>${items}</ul>`
    },
  }
}
