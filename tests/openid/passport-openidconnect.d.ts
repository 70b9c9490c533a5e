// The package has no types. These are of what the tests use.
declare module 'passport-openidconnect' {
  export type Profile = Readonly<{ id: string; emails?: ReadonlyArray<Readonly<{ value: string }>> }>
  type Done = (error: unknown, user: unknown) => void
  export class Strategy {
    constructor(
      options: Readonly<Record<string, unknown>>,
      verify: (
        issuer: string,
        userinfo: Profile,
        claims: Profile,
        context: unknown,
        idToken: string,
        accessToken: string,
        refreshToken: string,
        answer: unknown,
        done: Done,
      ) => void,
    )
    authenticate(request: object, options?: object): void
  }
}
