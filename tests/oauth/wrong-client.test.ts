import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { privateApiKey } from '../../domain/api-key.ts'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { FORM_TYPE, INTROSPECT } from '../support/introspection.ts'
import { basicOf, clientOf, GRANT, REVOKE, TOKEN } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { withService } from '../support/with-service.ts'

type Keys = RunningService['keys']

/** A well-formed private key that belongs to no application. */
const UNUSED_KEY = privateApiKey(Uint8Array.from({ length: 32 }, (_, index) => index))

const ROUTES: ReadonlyArray<readonly [path: string, form: Record<string, string>, challenge: string]> = [
  [TOKEN, GRANT, 'Basic realm="portcullis"'],
  [REVOKE, { token: 'x' }, 'Basic realm="portcullis"'],
  [INTROSPECT, { token: 'x' }, 'Bearer realm="portcullis", Basic realm="portcullis"'],
]

const wrongClient = (challenge: string): string => {
  const message = challenge.startsWith('Bearer')
    ? 'This operation requires an application token (Authorization: Bearer <token>), or valid API keys as client_id and client_secret.'
    : 'This operation requires valid API keys as client_id and client_secret.'
  const body = `{"success":false,"code":401,"message":"${message}","error":"invalid_client","error_description":"${message}"}`
  return [
    'HTTP/1.1 401 Unauthorized',
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `WWW-Authenticate: ${challenge}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

onMemory('a client with wrong or missing keys', (stores) => {
  let running: RunningService
  let revoked: Keys
  let rotated: Keys
  let looks = 0
  before(async () => {
    const looking = await stores.behind((store) => ({
      ...store,
      findApplication: (id) => async () => {
        looks += 1
        return store.findApplication(id)()
      },
    }))
    running = await startService({}, ...looking)
    const { service } = running
    const newPair = async () => {
      const made = await succeed(
        service.registerApplication(CONTEXT, { name: 'a', scope: 'tokens:introspect' }),
      )
      return {
        id: made.application.id,
        keys: { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey },
      }
    }
    const [one, other] = [await newPair(), await newPair()]
    revoked = one.keys
    rotated = other.keys
    await succeed(service.revokeApplication(CONTEXT, one.id))
    await succeed(service.rotateApplicationKey(CONTEXT, { id: other.id, overlapSeconds: 0 }))
  })
  after(() => running.stop())

  type SentClient = Readonly<{ authorization?: string; client?: object }>

  const unknown = (keys: Keys): Keys => ({ ...keys, public_api_key: `pk_${randomUUID()}` })
  const shownBy: ReadonlyArray<readonly [how: string, shown: (keys: Keys) => SentClient]> = [
    ['by Basic', (keys) => ({ authorization: basicOf(keys.public_api_key, keys.private_api_key) })],
    ['in the form', (keys) => ({ client: clientOf(keys) })],
  ]

  const KEYS: ReadonlyArray<readonly [what: string, keys: (live: Keys) => Keys, looks: number]> = [
    ['an unknown public key', unknown, 1],
    ['a wrong private key', (keys) => ({ ...keys, private_api_key: UNUSED_KEY }), 1],
    ['the keys of a revoked application', () => revoked, 1],
    ['a rotated private key', () => rotated, 1],
    ['a malformed public key', (keys) => ({ ...keys, public_api_key: 'shop' }), 0],
    ['a malformed private key', (keys) => ({ ...keys, private_api_key: 'secret' }), 0],
    ['no public key', (keys) => ({ ...keys, public_api_key: '' }), 0],
    ['no private key', (keys) => ({ ...keys, private_api_key: '' }), 0],
    [
      'the two keys swapped',
      (keys) => ({ public_api_key: keys.private_api_key, private_api_key: keys.public_api_key }),
      0,
    ],
  ]

  const NOTHING_TO_READ: ReadonlyArray<readonly [what: string, authorization: string | undefined]> = [
    ['nothing', undefined],
    ['Basic alone', 'Basic'],
    ['Basic and a space', 'Basic '],
    ['invalid base64', 'Basic ?'],
    ['base64 without a colon', `Basic ${Buffer.from('pk_x').toString('base64')}`],
    ['base64 of a colon only', basicOf('', '')],
    ['base64 of invalid UTF-8', `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}`],
    ['a malformed escape', basicOf('pk_%', 'sk_x')],
    ['an escaped colon', `Basic ${Buffer.from('pk_x%3Ask_x').toString('base64')}`],
    ['two Basic credentials', `${basicOf('a', 'b')}, ${basicOf('c', 'd')}`],
    ['the parameters of Digest', 'Digest username="pk_x"'],
    ['a scheme that starts with Basic', 'Basically eDp5'],
  ]

  const send = async (
    path: string,
    form: object,
    { authorization, client = {} }: SentClient,
  ): Promise<string> => {
    const lines = [
      `Content-Type: ${FORM_TYPE}`,
      ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ]
    const body = new URLSearchParams({ ...form, ...client }).toString()
    return withoutDateAndId(await sendRaw(running.port, requestText('POST', path, lines, body)))
  }

  for (const [path, form, challenge] of ROUTES) {
    for (const [what, authorization] of NOTHING_TO_READ) {
      it(`gets the same bytes from ${path} for ${what}`, async () => {
        const sent = authorization === undefined ? {} : { authorization }
        expect(await send(path, form, sent)).to.equal(wrongClient(challenge))
      })
    }
    it(`gets the same bytes from ${path} for malformed Basic credentials beside a client_id`, async () => {
      const client = { client_id: running.keys.public_api_key }
      for (const authorization of ['Basic ?', 'Basic !!', 'Basic', basicOf('pk_%', 'sk_x')])
        expect(await send(path, form, { authorization, client }), authorization).to.equal(
          wrongClient(challenge),
        )
    })
    for (const [how, shown] of shownBy) {
      for (const [what, keys, costs] of KEYS) {
        it(`gets the same bytes from ${path} for ${what} ${how}, after ${costs} look-ups`, async () => {
          looks = 0
          expect(await send(path, form, shown(keys(running.keys)))).to.equal(wrongClient(challenge))
          expect(looks).to.equal(costs)
        })
      }
    }

    it(`gets the same bytes from ${path} for another encoding of valid keys`, async () => {
      const { public_api_key: id, private_api_key: secret } = running.keys
      const right = basicOf(id, secret)
      expect(right, 'it has padding').to.match(/=$/)
      const wrong = wrongClient(challenge)
      for (const spelling of [right.replace(/=+$/, ''), `${right}=`, right.replace('Basic ', 'Basic\t')])
        expect(await send(path, form, { authorization: spelling }), spelling).to.equal(wrong)
      for (const [one, other] of [
        [`${id} `, secret],
        [id, `${secret}+`],
        [`+${id}`, secret],
        [id.toUpperCase(), secret],
        [id, `${secret}:`],
        [`\ufeff${id}`, secret],
      ] as const)
        expect(await send(path, form, { authorization: basicOf(one, other) }), one).to.equal(wrong)
    })
  }

  it('is recorded like wrong keys on the API’s route', async () => {
    // The log records ten refusals of a subject a minute, so this test has its own service.
    await withService(await stores.fresh(), async (fresh) => {
      const lines = [
        `Content-Type: ${FORM_TYPE}`,
        `Authorization: ${basicOf(fresh.keys.public_api_key, UNUSED_KEY)}`,
        'X-Request-Id: guess',
      ]
      await sendRaw(fresh.port, requestText('POST', TOKEN, lines, 'grant_type=client_credentials'))
      const entry = await eventually('ApplicationTokenRefused', async () =>
        (await eventsOf(fresh.service.store, 'ApplicationTokenRefused')).at(0),
      )
      expect(entry).to.deep.include({ request_id: 'guess', data: { reason: 'wrong_private_key' } })
      expect(entry.subject).to.deep.equal({
        kind: 'application',
        id: fresh.keys.public_api_key.slice('pk_'.length),
      })
    })
  })
})
