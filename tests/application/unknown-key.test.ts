import { expect } from 'chai'
import { validateToken } from '../../application/sessions/validate-token.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { aKey } from '../testkit/builders.ts'
import { FORMATS, keyProcesses, NOW_SECONDS } from './key-processes.ts'
import { CONTEXT } from './world.ts'

const ISSUER = 'http://service.test'
const PROVED = { auth_time: NOW_SECONDS, acr: 'aal1', amr: ['pwd'] }

/** A user token as JWT of a session that does not exist. */
const tokenBy = (key: SigningKey): Promise<string> => {
  const times = { iat: NOW_SECONDS, exp: NOW_SECONDS + 60 }
  const claims = {
    iss: ISSUER,
    aud: ISSUER,
    sub: 'ada',
    client_id: 'shop',
    sid: 'session',
    jti: 'token',
    ...PROVED,
  }
  return succeed(FORMATS.user_jwt.sign({ ...claims, ...times }, key))
}
const foreignKey = async () => aKey({ purpose: 'user_jwt', ...(await FORMATS.user_jwt.createKey()) })

/** Known and signed, but its session is gone. A forged token would be an `InvalidToken`, which counts. */
const NOT_FORGED = { _tag: 'InactiveToken' }

describe('validateToken, given a process that has just read the keys', () => {
  let processes: ReturnType<typeof keyProcesses>
  let reader: ReturnType<ReturnType<typeof keyProcesses>['start']>
  let validate: ReturnType<typeof validateToken>
  beforeEach(async () => {
    processes = keyProcesses()
    reader = processes.start()
    const { store, clock } = processes
    validate = validateToken({
      store,
      formats: FORMATS,
      keyring: reader.read,
      clock: clock.read,
      issuer: ISSUER,
    })
    await succeed(reader.read)
    processes.clock.passSeconds(0.1)
  })
  const keyOf = async (id: string): Promise<SigningKey> => {
    const key = (await processes.keys()).find((one) => one.id === id)
    if (key === undefined) throw new Error(`no ${id}`)
    return key
  }

  it('when another process makes the first key of user tokens as JWT, then its tokens are not forged', async () => {
    await succeed(processes.rotate(CONTEXT, { purposes: ['user_jwt'], atOnce: true }))
    expect(await fail(validate(await tokenBy(await keyOf('user_jwt-1'))))).to.deep.equal(NOT_FORGED)
  })

  it('when another process replaces a leaked key, then tokens of the new one are not forged', async () => {
    await succeed(processes.rotate(CONTEXT, { purposes: ['user'], atOnce: true }))
    const times = { iat: NOW_SECONDS, exp: NOW_SECONDS + 60 }
    const claims = { iss: ISSUER, sub: 'ada', sid: 'session', jti: 'token', ...PROVED, ...times }
    const token = await succeed(FORMATS.user.sign(claims, await keyOf('user-2')))
    expect(await fail(validate(token))).to.deep.equal(NOT_FORGED)
  })

  it('when forged tokens name unknown keys, then it reads the keys at most every 100 milliseconds', async () => {
    const forge = async (times: number) => {
      for (let sent = 0; sent < times; sent += 1)
        expect(await fail(validate(await tokenBy(await foreignKey())))).to.deep.equal({
          _tag: 'InvalidToken',
        })
    }
    const before = reader.lookups()
    await forge(20)
    expect(reader.lookups() - before).to.equal(1)
    processes.clock.passSeconds(0.099)
    await forge(20)
    expect(reader.lookups() - before).to.equal(1)
    processes.clock.passSeconds(0.001)
    await forge(20)
    expect(reader.lookups() - before).to.equal(2)
  })

  it('when a text has no key id, or a known one, then it reads no keys', async () => {
    const before = reader.lookups()
    const changed = (await tokenBy(await foreignKey())).replace(/^[^.]*/, 'eyJ')
    const user = await keyOf('user-1')
    const footer = Buffer.from(JSON.stringify({ kid: user.kid })).toString('base64url')
    for (const text of ['', 'x', 'a.b.c', changed, `v4.public.AAAA.${footer}`])
      expect(await fail(validate(text)), text).to.deep.equal({ _tag: 'InvalidToken' })
    expect(reader.lookups()).to.equal(before)
  })

  it('when the store is unavailable, then a token of an unknown key is not judged', async () => {
    const token = await tokenBy(await foreignKey())
    await processes.store.close()
    expect(await fail(validate(token))).to.include({ _tag: 'StoreUnavailable' })
  })
})
