import type { Context } from 'koa'
import type { Portcullis } from 'portcullis-client'
import { type formsOf, type Html, html, sealedCookie, type User } from './browser.ts'

/** A token for a user, as sign-in, renewal and step-up return it. A step-up does not prolong the session. */
export type Session = Readonly<{ token: string; expiresIn: number; sessionExpiresIn?: number }>

/** Who is signed in: by a cookie with the user token, when half of its life is over, and when its session expires, encrypted. */
export const sessions = (auth: Portcullis, secret: string) => {
  const cookie = sealedCookie<{ token: string; renewAt: string; endsAt: string }>(secret, 'session')
  const keep = async (ctx: Context, { token, expiresIn, sessionExpiresIn }: Session): Promise<void> => {
    const rest = Number((await cookie.read(ctx))?.endsAt ?? Date.now()) - Date.now()
    const age = sessionExpiresIn ?? Math.floor(rest / 1000)
    const [renewAt, endsAt] = [String(Date.now() + expiresIn * 500), String(Date.now() + age * 1000)]
    return cookie.write(ctx, { token, renewAt, endsAt }, age)
  }

  return {
    keep,
    /** The user. It renews the session in the second half of the life of the token, and after it. A guest has an empty token. */
    userOf: async (ctx: Context): Promise<User> => {
      const kept = await cookie.read(ctx)
      const isDue = kept !== undefined && Date.now() > Number(kept.renewAt)
      const renewed = isDue ? await auth.renewSession({ token: kept.token }) : undefined
      if (renewed?.ok) await keep(ctx, renewed)
      const token = renewed?.ok ? renewed.token : (kept?.token ?? '')
      const methods = auth.user(token)
      const profile = await methods.getProfile()
      if (profile.ok) return { ...profile, token, methods }
      if (profile.refusal !== 'invalid_token') ctx.throw(503)
      cookie.clear(ctx)
      return { token: '', id: '', email: '', methods: auth.user('') }
    },

    /** The sessions of a user, each with the form that ends it. */
    part: async ({ email, methods }: User, formOf: ReturnType<typeof formsOf>): Promise<Html> => {
      const answer = await methods.listSessions()
      const items = (answer.ok ? answer.sessions : []).flatMap(({ id, createdAt, current }) => {
        const end = current ? html`(this one)` : formOf('end_session', undefined, ['sessionId', id])
        return html`<li>${createdAt ?? ''} ${end}</li>`
      })
      return html`<p>You are signed in as ${email}.</p><ul>${items}</ul>`
    },
  }
}
