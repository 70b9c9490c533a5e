import type { Portcullis } from 'portcullis-client'

/** The texts of a product for what its users do wrong. */
const TEXTS: Readonly<Record<string, string>> = {
  missing: 'Please fill this in.',
  taken: 'There is an account with this e-mail already.',
  different: 'The passwords differ.',
}

type Form<T> = Readonly<{ value: T } | { texts: Readonly<Record<string, string>> }>

export const accounts = (auth: Portcullis) => {
  const textsOf = (problems: ReadonlyArray<{ field: string; reason: string }>) =>
    Object.fromEntries(problems.map(({ field, reason }) => [field, TEXTS[reason] ?? 'Please check this.']))
  return {
    async register(email: string, password: string): Promise<Form<string>> {
      const registered = await auth.registerUser({ email, password })
      return registered.ok ? { value: registered.id } : { texts: textsOf(registered.problems) }
    },
    async signIn(email: string, password: string): Promise<Form<string>> {
      const signedIn = await auth.signIn({ email, password })
      return signedIn.ok ? { value: signedIn.token } : { texts: textsOf(signedIn.problems) }
    },
    async email(token: string): Promise<string | undefined> {
      const profile = await auth.user(token).getProfile()
      return profile.ok ? profile.email : undefined
    },
    async changePassword(token: string, oldPassword: string, newPassword: string): Promise<Form<true>> {
      const changed = await auth
        .user(token)
        .changePassword({ oldPassword, newPassword, newPasswordCheck: newPassword })
      return changed.ok ? { value: true } : { texts: textsOf(changed.problems) }
    },
  }
}
