import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import { decodeProtectedHeader } from 'jose'
import { composeOperations, Dependency, type Operations, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import type { KeyPurpose } from '../../domain/signing-key.ts'
import type { UserTokenFormat } from '../../domain/token.ts'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { settings } from '../support/settings.ts'

const START = Date.parse('2026-11-20T12:00:00Z')

/** Verifiers may cache published keys for ten minutes. A process honors another process’s changes within a second. */
const PUBLISHED_SECONDS = 600
const FRESH_SECONDS = 1

const PUBLISHED_AT = {
  application: '/.well-known/jwks.json',
  user: '/.well-known/paseto-keys.json',
  user_jwt: '/.well-known/user-jwks.json',
}

const TTL_SECONDS = { application: 3_600, user: 43_200, user_jwt: 43_200 }

/** The purposes whose keys a service makes and signs with, for each format of user tokens. */
const SIGNING: Readonly<Record<UserTokenFormat, ReadonlyArray<KeyPurpose>>> = {
  paseto: ['application', 'user'],
  jwt: ['application', 'user_jwt'],
}

for (const format of ['paseto', 'jwt'] as const) {
  const ofUsers = format === 'paseto' ? 'user' : 'user_jwt'
  onMemory(
    `signing keys that another process rotates on the store of a running service, with user tokens as ${format}`,
    (stores) => {
      let store: Store
      let now: number
      let running: RunningService
      let operator: Operations
      beforeEach(async () => {
        now = START
        const lasting = await stores.lasting()
        const environment = { ...lasting.environment, USER_TOKEN_FORMAT: format }
        const shared = [
          ...lasting.modules,
          provide(Dependency.clock, () => () => now),
          provide(Dependency.steadyClock, () => async () => right(now)),
        ]
        store = lasting.store
        running = await startService(environment, ...shared)
        operator = await composeOperations(settings(environment), ...shared)
      })
      afterEach(async () => {
        await operator.close()
        await running.stop()
      })

      const passSeconds = (seconds: number): void => {
        now += seconds * 1000
      }
      const rotate = (atOnce: boolean, ...purposes: ReadonlyArray<KeyPurpose>) =>
        succeed(
          operator.rotateKeys(CONTEXT, {
            purposes: purposes.length > 0 ? purposes : SIGNING[format],
            atOnce,
          }),
        )

      it('verify until the last token of the application with the longest lifetime has expired', async () => {
        const longest = 100_000
        const request = {
          name: 'longest',
          scope: 'users:sign_in',
          userTokenTtl: longest,
          sessionTtl: longest,
        }
        const made = await succeed(operator.registerApplication(CONTEXT, request))
        const gone = await succeed(operator.registerApplication(CONTEXT, { ...request, sessionTtl: 200_000 }))
        await succeed(operator.setApplication(CONTEXT, gone.application.id, { userTokenTtl: 200_000 }))
        await succeed(operator.revokeApplication(CONTEXT, gone.application.id))
        const [old] = await rotate(false, ofUsers)
        const end = now / 1000 + PUBLISHED_SECONDS + longest + PUBLISHED_SECONDS
        expect(old?.retiresAtSeconds).to.deep.equal(some(end))

        // Until the new key signs, a lifetime that is set after the rotation ends with the old key.
        const lifetimes = { userTokenTtl: 10 * longest, sessionTtl: 10 * longest }
        await succeed(operator.setApplication(CONTEXT, made.application.id, lifetimes))
        const signIn = async () => {
          const { token } = await succeed(running.service.issueApplicationToken(CONTEXT, made))
          const { email, password } = running.user
          const path = '/api/v1/auth/user/token'
          return (await running.send({ method: 'POST', path, token, body: { email, password } })).body
        }
        passSeconds(FRESH_SECONDS)
        expect((await signIn()).expires_in).to.equal(end - now / 1000)
        passSeconds(PUBLISHED_SECONDS)
        const { token, expires_in } = await signIn()
        expect(expires_in).to.equal(10 * longest)
        const profile = async () =>
          (await running.send({ method: 'GET', path: '/api/v1/profile', token })).status
        passSeconds(10 * longest - 1)
        expect(await profile()).to.equal(200)
        passSeconds(6)
        expect(await profile()).to.equal(401)
      })

      const published = async (purpose: KeyPurpose): Promise<ReadonlyArray<string>> => {
        const { body } = await running.send({ method: 'GET', path: PUBLISHED_AT[purpose] })
        return body.keys.map(({ kid }: { kid: string }) => kid)
      }
      const kidsOf = async (purpose: KeyPurpose): Promise<ReadonlyArray<string>> =>
        (await succeed(store.listSigningKeys()))
          .filter((key) => key.purpose === purpose && !key.retired)
          .map(({ kid }) => kid)

      const FORMATS = {
        application: {
          token: () => running.applicationToken(),
          kid: (token: string) => decodeProtectedHeader(token).kid,
          // A valid token is refused only for the missing fields.
          status: (token: string) => statusOf('POST', '/api/v1/auth/user/token', token),
          good: 422,
        },
        user_jwt: {
          token: () => running.userToken(),
          kid: (token: string) => decodeProtectedHeader(token).kid,
          status: (token: string) => statusOf('GET', '/api/v1/profile', token),
          good: 200,
        },
        user: {
          token: () => running.userToken(),
          kid: (token: string): string =>
            JSON.parse(Buffer.from(token.split('.')[3] ?? '', 'base64url').toString()).kid,
          status: (token: string) => statusOf('GET', '/api/v1/profile', token),
          good: 200,
        },
      }
      const statusOf = async (method: string, path: string, token: string): Promise<number> =>
        (await running.send({ method, path, token })).status

      for (const purpose of SIGNING[format]) {
        const { token, kid, status, good } = FORMATS[purpose]
        const other = purpose === 'application' ? ofUsers : 'application'

        it(`for ${purpose} tokens are published at once, before they sign`, async () => {
          const before = await published(purpose)
          await rotate(false)
          passSeconds(FRESH_SECONDS)
          const after = await published(purpose)
          expect(after).to.deep.equal(await kidsOf(purpose))
          expect(after).to.have.length(2)
          expect(after[0]).to.equal(before[0])
        })

        it(`for ${purpose} tokens are not published among the keys of ${other} tokens`, async () => {
          const before = await published(other)
          await rotate(false, purpose)
          passSeconds(FRESH_SECONDS)
          expect(await published(other)).to.deep.equal(before)
          expect(await kidsOf(purpose)).to.have.length(2)
        })

        it(`for ${purpose} tokens sign only after verifiers had time to fetch them`, async () => {
          const [oldKid] = await kidsOf(purpose)
          await rotate(false, purpose)
          const [, newKid] = await kidsOf(purpose)
          expect(newKid).to.be.a('string').that.is.not.equal(oldKid)

          passSeconds(PUBLISHED_SECONDS - 1)
          expect(kid(await token())).to.equal(oldKid)
          passSeconds(1)
          const fromNewKey = await token()
          expect(kid(fromNewKey)).to.equal(newKid)
          expect(await status(fromNewKey)).to.equal(good)
        })

        it(`for ${purpose} tokens leave tokens of the old key valid until they expire`, async () => {
          const before = await token()
          await rotate(false, purpose)
          passSeconds(FRESH_SECONDS)
          expect(await status(before), 'from before').to.equal(good)
          passSeconds(PUBLISHED_SECONDS - FRESH_SECONDS - 1)
          const last = await token()
          expect(kid(last), 'the last that the old key signs').to.equal(kid(before))
          passSeconds(TTL_SECONDS[purpose] - 1)
          expect(await status(last)).to.equal(good)
        })

        it(`for ${purpose} tokens retire the old key after its last token has expired, and delete its secret`, async () => {
          const [oldKid = ''] = await kidsOf(purpose)
          await rotate(false, purpose)
          const endsAfter = PUBLISHED_SECONDS + TTL_SECONDS[purpose] + PUBLISHED_SECONDS
          passSeconds(endsAfter - FRESH_SECONDS)
          await published(other) // any request that makes the service read its keys
          expect(await kidsOf(purpose)).to.include(oldKid)
          expect(await eventsOf(store, 'SigningKeyRetired')).to.deep.equal([])

          passSeconds(FRESH_SECONDS)
          expect(await published(purpose))
            .to.have.length(1)
            .and.not.include(oldKid)
          const [retired, ...more] = await eventually('SigningKeyRetired', async () => {
            const entries = await eventsOf(store, 'SigningKeyRetired')
            return entries.length > 0 ? entries : undefined
          })
          expect(retired).to.deep.include({
            subject: { kind: 'key', id: oldKid },
            actor: { kind: 'nobody' },
            data: {},
          })
          expect(more).to.deep.equal([])
          const kept = (await succeed(store.listSigningKeys())).find((key) => key.kid === oldKid)
          expect(kept).to.include({ retired: true, material: '' })
        })

        it(`for ${purpose} tokens sign at once after a leak and end the tokens of the old key`, async () => {
          const before = await token()
          const [oldKid = ''] = await kidsOf(purpose)
          await rotate(true, purpose)
          passSeconds(FRESH_SECONDS)
          expect(await status(before)).to.equal(401)
          const after = await token()
          expect(await kidsOf(purpose)).to.deep.equal([kid(after)])
          expect(kid(after)).not.to.equal(oldKid)
          expect(await status(after)).to.equal(good)
          expect(
            (await eventsOf(store, 'SigningKeyRetired')).map(({ subject, actor }) => [
              subject.id,
              actor.kind,
            ]),
          ).to.deep.equal([[oldKid, 'operator']])
          expect(await published(purpose)).to.deep.equal([kid(after)])
        })
      }

      it('after a leak retire published keys that did not sign yet, too', async () => {
        await rotate(false, 'application')
        const older = await kidsOf('application')
        await rotate(true, 'application')
        passSeconds(FRESH_SECONDS)
        expect(await published('application')).to.have.length(1)
        const retired = (await eventsOf(store, 'SigningKeyRetired')).map(({ subject }) => subject.id)
        expect(retired).to.have.members([...older])
      })

      it('of one kind do not affect tokens of the other kind', async () => {
        const user = await running.userToken()
        await rotate(true, 'application')
        passSeconds(FRESH_SECONDS)
        expect(await FORMATS[ofUsers].status(user)).to.equal(200)
      })

      it('make the service refuse a token of a retired key as invalid_token', async () => {
        const token = await running.userToken()
        await rotate(true)
        passSeconds(FRESH_SECONDS)
        const answer = await running.send({ method: 'GET', path: '/api/v1/profile', token })
        expect(answer.status).to.equal(401)
        expect(answer.headers['www-authenticate']).to.equal(
          'Bearer realm="portcullis", error="invalid_token", error_description="The token is not valid"',
        )
      })

      it('are recorded with the actor and without a secret', async () => {
        const keys = await rotate(false)
        const created = (await eventsOf(store, 'SigningKeyCreated')).slice(-2)
        expect(created.map(({ subject, actor, data }) => ({ subject, actor, data }))).to.have.deep.members(
          SIGNING[format].map((purpose) => ({
            subject: {
              kind: 'key',
              id: keys.findLast((key) => key.purpose === purpose)?.kid,
            },
            actor: { kind: 'operator' },
            data: { purpose },
          })),
        )
        const log = JSON.stringify(await succeed(store.readEvents({ after: 0, limit: 100 })))
        for (const { material } of keys) {
          const secret = material.startsWith('{') ? JSON.parse(material).d : material.split('.').at(-1)
          expect(log).not.to.include(secret)
        }
      })
    },
  )
}
