import { expect } from 'chai'
import { HAS_MANY_ADDRESSES, newAddress } from '../support/callers.ts'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { startThrottled, type ThrottledService } from '../support/throttled-service.ts'

const SPOOFED = '198.51.100.66'

/** Runs a test on a service behind this number of proxies. */
const withProxies = (proxies: number, test: (running: ThrottledService) => Promise<void>) => async () => {
  const running = await startThrottled({ TRUST_PROXY: String(proxies) })
  try {
    await test(running)
  } finally {
    await running.stop()
  }
}

/** Fails once from this machine with these X-Forwarded-For lines. */
const failOnce = async ({ port }: ThrottledService, ...lines: ReadonlyArray<string>): Promise<number> => {
  const headers = lines.map((line) => `X-Forwarded-For: ${line}`)
  const text = requestText('GET', '/api/v1/profile', ['Authorization: Bearer rubbish', ...headers])
  return parseRaw(await sendRaw(port, text)).status
}

/** Fails three times with `first`, then once with each of `then`. Returns the statuses of `then`. */
const failsAs = async (
  running: ThrottledService,
  first: string,
  then: ReadonlyArray<string>,
): Promise<ReadonlyArray<number>> => {
  for (let time = 1; time <= 3; time += 1) expect(await failOnce(running, first)).to.equal(401)
  const statuses: Array<number> = []
  for (const forwarded of then) statuses.push(await failOnce(running, forwarded))
  return statuses
}

const all = <A>(forwarded: ReadonlyArray<string>, status: A): ReadonlyArray<A> => forwarded.map(() => status)

describe('failures of callers behind proxies', () => {
  it(
    'with TRUST_PROXY=0 count for the peer, regardless of X-Forwarded-For',
    withProxies(0, async (running) => {
      const madeUp = ['192.0.2.2', '192.0.2.3, 192.0.2.4', '2001:db8::1', 'garbage', '']
      expect(await failsAs(running, '192.0.2.1', madeUp)).to.deep.equal(all(madeUp, 429))
      expect(await failOnce(running)).to.equal(429)
    }),
  )

  it('with TRUST_PROXY=0 count separately for each peer', async function () {
    if (!HAS_MANY_ADDRESSES) this.skip()
    await withProxies(0, async (running) => {
      for (const address of [newAddress(), newAddress(), newAddress()]) {
        const fail = () =>
          running.sendFrom(address)({
            method: 'GET',
            path: '/api/v1/profile',
            token: 'rubbish',
            headers: { 'x-forwarded-for': '192.0.2.1' },
          })
        for (const status of [401, 401, 401, 429]) expect((await fail()).status).to.equal(status)
      }
    })()
  })

  it(
    'with TRUST_PROXY=1 count for the address from the proxy and ignore preceding entries',
    withProxies(1, async (running) => {
      const same = [
        '192.0.2.1',
        `${SPOOFED}, 192.0.2.1`,
        `${SPOOFED},192.0.2.1`,
        `garbage, "${SPOOFED}", , ::1,192.0.2.1`,
        `${'203.0.113.1, '.repeat(700)}192.0.2.1`, // about ten kilobytes
        '::ffff:192.0.2.1',
      ]
      expect(await failsAs(running, '192.0.2.1', same)).to.deep.equal(all(same, 429))
      for (const other of ['192.0.2.2', '192.0.2.1, 192.0.2.3', '2001:db8::1'])
        expect(await failOnce(running, other), other).to.equal(401)
    }),
  )

  it(
    'with TRUST_PROXY=1 count for the proxy when it sends no valid address',
    withProxies(1, async (running) => {
      const invalid = [
        '',
        ',',
        'unknown',
        '127.1',
        '0x7f000001',
        '0177.0.0.1',
        '192.0.2.1:80',
        '[2001:db8::1]:80',
        '192.0.2.1, garbage',
        '192.0.2.1, ',
        'x'.repeat(10_000),
      ]
      expect(await failsAs(running, 'garbage', invalid)).to.deep.equal(all(invalid, 429))
      expect(await failOnce(running), 'no header at all').to.equal(429)
      expect(await failOnce(running, '127.0.0.1'), 'the address of the proxy').to.equal(429)
      expect(await failOnce(running, '127.0.0.2')).to.equal(401)
    }),
  )

  it(
    'with TRUST_PROXY=2 count for the address from the first of the two',
    withProxies(2, async (running) => {
      const same = [
        '192.0.2.1, 10.0.0.1',
        '192.0.2.1, 10.0.0.2',
        `${SPOOFED}, 192.0.2.1, 10.0.0.1`,
        '192.0.2.1', // through the second proxy only
      ]
      expect(await failsAs(running, '192.0.2.1, 10.0.0.1', same)).to.deep.equal(all(same, 429))
      for (const other of ['192.0.2.2, 10.0.0.1', '192.0.2.1, 192.0.2.3, 10.0.0.1'])
        expect(await failOnce(running, other), other).to.equal(401)
    }),
  )

  it(
    'read several header lines like one',
    withProxies(2, async (running) => {
      for (let time = 1; time <= 3; time += 1)
        expect(await failOnce(running, SPOOFED, '192.0.2.1', '10.0.0.1')).to.equal(401)
      expect(await failOnce(running, `${SPOOFED}, 192.0.2.1`, '10.0.0.1')).to.equal(429)
      expect(await failOnce(running, `${SPOOFED}, 192.0.2.1, 10.0.0.1`)).to.equal(429)
      expect(await failOnce(running, '192.0.2.1, 10.0.0.1', '10.0.0.2')).to.equal(401)
    }),
  )

  it(
    'of IPv6 count for the first 64 bits, and link-local addresses on any interface count together',
    withProxies(1, async (running) => {
      const same = ['2001:db8:0:1::', '2001:DB8::1:ffff:ffff:ffff:ffff', '2001:0db8:0000:0001:2:3:4:5']
      expect(await failsAs(running, '2001:db8:0:1::1', same)).to.deep.equal(all(same, 429))
      for (const other of ['2001:db8:0:2::1', '2001:db8::1'])
        expect(await failOnce(running, other), other).to.equal(401)
      const neighbours = ['fe80::1%eth0', 'fe80::2%br-lan', 'fe80::3%eth0.100', 'fe80::4']
      expect(await failsAs(running, 'fe80::1', neighbours)).to.deep.equal(all(neighbours, 429))
    }),
  )
})
