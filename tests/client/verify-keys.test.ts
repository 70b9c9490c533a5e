import { expect } from 'chai'
import type { VerifiedToken } from '../../adapters/client/client.ts'
import { turns } from '../support/turns.ts'
import { ISSUER, type KeyServer, keyServer } from './key-server.ts'
import { jwtClaims, pasetoClaims, type Signer, signer } from './signer.ts'
import { thrownBy } from './thrown-by.ts'

const INVALID: VerifiedToken = { ok: false, refusal: 'invalid_token' }
const down = async (): Promise<Response> => {
  throw new TypeError('fetch failed')
}
const broken = () => new Response('{"keys":', { headers: { 'Content-Type': 'application/json' } })

for (const format of ['paseto', 'jwt'] as const)
  describe(`the keys of verify for ${format}`, () => {
    const [old, young] = [signer('old'), signer('young')]
    let server: KeyServer
    beforeEach(() => {
      server = keyServer(old)
    })
    /** A token that lives for a minute. */
    const tokenOf = (one: Signer): string => {
      const now = server.time.now()
      return format === 'paseto' ? one.paseto(pasetoClaims(ISSUER, now)) : one.jwt(jwtClaims(ISSUER, now))
    }
    const verified = (one: Signer) => server.auth.verify(tokenOf(one))
    const fetches = () => server.fetched.length

    it('are fetched at the first token, once for 50 concurrent calls', async () => {
      expect(fetches()).to.equal(0)
      const all = await Promise.all(Array.from({ length: 50 }, () => verified(old)))
      for (const one of all) expect(one).to.include({ ok: true })
      expect(server.fetched).to.deep.equal([format === 'paseto' ? 'paseto-keys.json' : 'user-jwks.json'])
    })

    it('are used for 8 minutes, and fetched again in the background from the 5th on', async () => {
      await verified(old)
      server.time.pass(299_999)
      await verified(old)
      expect(fetches()).to.equal(1)
      server.time.pass(1)
      server.next(down, down, down, down)
      expect(await verified(old)).to.include({ ok: true })
      await turns(50)
      server.time.pass(170_000)
      expect(await verified(old)).to.include({ ok: true })
    })

    it('are forgotten after 8 minutes, so that a retired one ends', async () => {
      await verified(old)
      server.publish(young)
      server.time.pass(480_000)
      expect(await verified(old)).to.deep.equal(INVALID)
      expect(await verified(young)).to.include({ ok: true })
      expect(fetches()).to.equal(2)
    })

    it('are fetched again for an unknown key id, at most every 30 s', async () => {
      await verified(old)
      for (let count = 0; count < 20; count += 1)
        expect(await verified(signer(`invented-${count}`))).to.deep.equal(INVALID)
      expect(fetches()).to.equal(1)
      server.time.pass(29_999)
      expect(await verified(young)).to.deep.equal(INVALID)
      expect(fetches()).to.equal(1)
      server.time.pass(1)
      for (let count = 0; count < 20; count += 1)
        expect(await verified(signer(`invented-${count}`))).to.deep.equal(INVALID)
      expect(fetches()).to.equal(2)
    })

    it('include a new one 30 s after the last fetch, once for 50 concurrent calls', async () => {
      await verified(old)
      server.publish(old, young)
      server.time.pass(30_000)
      const all = await Promise.all(Array.from({ length: 50 }, () => verified(young)))
      for (const one of all) expect(one).to.include({ ok: true })
      expect(await verified(old)).to.include({ ok: true })
      expect(fetches()).to.equal(2)
    })

    it('are not fetched again for an unknown key id of a token that is malformed', async () => {
      await verified(old)
      server.time.pass(60_000)
      expect(await server.auth.verify(`${tokenOf(young)}=`)).to.deep.equal(INVALID)
      expect(fetches()).to.equal(1)
    })

    for (const [name, answer, requests] of [
      ['no answer', down, 4],
      ['500', () => new Response('', { status: 500 }), 1],
      ['broken JSON', broken, 1],
      ['404', () => new Response('', { status: 404 }), 1],
      ['429', () => new Response('', { status: 429 }), 1],
      ['422', () => Response.json({ errors: [{ code: 1, param: '', message: '' }] }, { status: 422 }), 1],
    ] as const)
      it(`are missing after ${name}: PortcullisUnavailable, and never a refusal`, async () => {
        server.next(...Array.from({ length: requests }, () => answer))
        const error = await thrownBy(verified(old))
        expect(error).to.include({ name: 'PortcullisUnavailable', outcome: 'none' })
        server.time.pass(30_000)
        expect(await verified(old)).to.include({ ok: true })
      })

    it('stay known during an outage of less than 8 minutes, and end with it', async () => {
      await verified(old)
      server.next(...Array.from({ length: 100 }, () => down))
      server.time.pass(479_000)
      expect(await verified(old)).to.include({ ok: true })
      await turns(50)
      server.time.pass(1_000)
      expect(await thrownBy(verified(old))).to.include({ name: 'PortcullisUnavailable' })
    })

    it('that cannot be used are left out, and the others stay', async () => {
      const odd = ['', 'AAAA', '+++', 1, null, 'A'.repeat(43)]
      const keys = odd.map((x, index) => ({ kid: `odd-${index}`, x, paserk: `k4.public.${x}` }))
      server.next(() => Response.json({ keys: [...keys, format === 'paseto' ? old.paserk : old.jwk] }))
      expect(await verified(old)).to.include({ ok: true })
      for (const [index] of odd.entries())
        expect(await verified(signer(`odd-${index}`))).to.deep.equal(INVALID)
    })

    for (const body of [{}, { keys: null }, { keys: {} }, { keys: [null] }, { keys: [{}] }])
      it(`are missing in ${JSON.stringify(body)}: no error of the client`, async () => {
        server.next(() => Response.json(body))
        const settled = await verified(old).catch((error: unknown) => error)
        if (settled instanceof Error) expect(settled).to.include({ name: 'PortcullisUnavailable' })
        else expect(settled).to.deep.equal(INVALID)
      })
  })
