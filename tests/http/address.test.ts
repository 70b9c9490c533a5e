import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import fc from 'fast-check'
import { addressOf } from '../../adapters/http/request/address.ts'

/** The network of a request from this peer, with these header lines as Node joins them. */
const networkOf = (peer: string | undefined, forwarded?: string, trustedProxies = 1) =>
  addressOf(
    {
      socket: { remoteAddress: peer },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage,
    trustedProxies,
  )

/** Each entry lists spellings of one caller. No two entries are the same caller. */
const CALLERS: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  [
    'an IPv4 address, also IPv4-mapped',
    [
      '192.0.2.1',
      '::ffff:192.0.2.1',
      '::FFFF:192.0.2.1',
      '::ffff:c000:201',
      '::ffff:c000:0201',
      '0:0:0:0:0:ffff:192.0.2.1',
      '0000:0000:0000:0000:0000:ffff:c000:0201',
      '::ffff:192.0.2.1%eth0',
      '64:ff9b::192.0.2.1',
      '64:ff9b::c000:201',
    ],
  ],
  ['the next IPv4 address, also behind a NAT64', ['192.0.2.2', '::ffff:192.0.2.2', '64:ff9b::192.0.2.2']],
  ['a NAT64 with a prefix of its own', ['64:ff9b:1::192.0.2.1', '64:ff9b:1::192.0.2.2']],
  [
    'the first 64 bits of an IPv6 address',
    [
      '2001:db8::',
      '2001:db8::1',
      '2001:DB8::1',
      '2001:0db8:0:0::1',
      '2001:db8:0:0:ffff:ffff:ffff:ffff',
      '2001:db8::192.0.2.1',
    ],
  ],
  ['the next 64 bits', ['2001:db8:0:1::', '2001:db8:0:1::1', '2001:db8::1:0:0:0:1']],
  ['the 64 bits before', ['2001:db7:ffff:ffff::1', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff']],
  ['the same machine over IPv4', ['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1']],
  ['another address of the same machine', ['127.0.0.2']],
  ['the same machine over IPv6, and the unspecified address', ['::1', '0:0:0:0:0:0:0:1', '::']],
  [
    'link-local addresses, on any interface',
    [
      'fe80::1',
      'fe80::2',
      'fe80::1%eth0',
      'fe80::1%1',
      'fe80::1%br-lan',
      'fe80::1%eth0.100',
      'fe80::1%eth_0',
      'fe80::1%wlan0:1',
    ],
  ],
]

/** What some proxies append (RFC 7239 §6). */
const WITH_PORTS: ReadonlyArray<readonly [entry: string, caller: string]> = [
  ['192.0.2.1:4711', '192.0.2.1'],
  ['192.0.2.1:_hidden', '192.0.2.1'],
  ['"192.0.2.1"', '192.0.2.1'],
  ['"192.0.2.1:4711"', '192.0.2.1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['[2001:db8::1]:_a.b-c', '2001:db8::1'],
  ['"[2001:db8::1]"', '2001:db8::1'],
  ['"[2001:db8::1]:4711"', '2001:db8::1'],
  ['[fe80::1%eth0]:4711', 'fe80::1'],
  ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
]

const NO_ADDRESSES = [
  'unknown',
  'unknown:4711',
  '_hidden:_port',
  '_hidden',
  'null',
  'localhost',
  'example.com',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '192.0.2.01',
  '192.0.2.256',
  '192.0.2',
  '192.0.2.1.',
  '192.0.2.0/24',
  '1٩2.0.2.1',
  '192.0.2.1:',
  '192.0.2.1:471100',
  '192.0.2.1:_',
  '192.0.2.1:80:80',
  '192.0.2:80',
  '[192.0.2.1]:80',
  '[2001:db8::1',
  '2001:db8::1]:4711',
  '[2001:db8::1]4711',
  '[2001:db8::1]:x',
  '[[2001:db8::1]]',
  '[]',
  '"192.0.2.1',
  '192.0.2.1"',
  '""',
  '"192.0.2.1":4711',
  'for=192.0.2.1',
  '2001:db8::1::',
  '2001:db8',
  '2001:db8:::1',
  '12345::1',
  '%eth0',
  '192.0.2.1 192.0.2.2',
  '192.0.2.1;192.0.2.2',
  '192.0.2.1\t\0',
]

describe('the address of a caller', () => {
  for (const [what, spellings] of CALLERS) {
    it(`${what} is one caller: ${spellings.join(' ')}`, () => {
      const [first = ''] = spellings
      expect(networkOf(first)).to.be.a('string')
      for (const spelling of spellings) {
        expect(networkOf(spelling), spelling).to.equal(networkOf(first))
        expect(networkOf('203.0.113.9', spelling), `${spelling} behind a proxy`).to.equal(networkOf(first))
      }
    })
  }

  for (const [entry, caller] of WITH_PORTS) {
    it(`behind a proxy that appends ${entry} is ${caller}`, () => {
      for (const forwarded of [entry, `198.51.100.1, ${entry}`, `198.51.100.1,${entry} `])
        expect(networkOf('203.0.113.9', forwarded)).to.equal(networkOf(caller))
      expect(networkOf('203.0.113.9', `${entry}, 198.51.100.1`, 2)).to.equal(networkOf(caller))
    })
  }

  it('tells the callers of all entries apart', () => {
    const networks = CALLERS.map(([, [first = '']]) => networkOf(first))
    expect(new Set(networks).size).to.equal(CALLERS.length)
  })

  for (const text of NO_ADDRESSES) {
    it(`ignores a malformed address in X-Forwarded-For and uses the proxy’s: ${JSON.stringify(text)}`, () => {
      expect(networkOf('203.0.113.9', text)).to.equal('203.0.113.9')
      expect(networkOf('203.0.113.9', `192.0.2.1, ${text}`)).to.equal('203.0.113.9')
    })
  }

  it('is unknown for a connection without a socket, regardless of the header', () => {
    for (const proxies of [0, 1, 2]) expect(networkOf(undefined, '192.0.2.1', proxies)).to.equal(undefined)
  })

  it('has at most 31 characters, however long the header is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2_000 }), fc.nat(16), (forwarded, proxies) => {
        const network = networkOf('203.0.113.9', forwarded, proxies)
        expect(network?.length).to.be.within(1, 31)
      }),
    )
  })

  it('is known for every address that a socket can have', () => {
    const zone = fc.constantFrom('', '%eth0', '%br-lan', '%eth0.100', '%7', '%a:b')
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.tuple(fc.ipV6(), zone).map((parts) => parts.join('')),
        ),
        (peer) => {
          expect(networkOf(peer)).to.be.a('string')
        },
      ),
    )
  })

  it('is the same for two IPv6 addresses exactly when their first 64 bits are equal', () => {
    const group = fc.nat(0xffff).map((number) => number.toString(16))
    const groups = (count: number) => fc.array(group, { minLength: count, maxLength: count })
    const text = (...of: ReadonlyArray<ReadonlyArray<string>>) => of.flat().join(':')
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), groups(4), (here, there, one, other) => {
        fc.pre(here.slice(0, 3).some((each) => each !== '0') && text(here) !== text(there))
        expect(networkOf(text(here, one))).to.equal(networkOf(text(here, other)))
        expect(networkOf(text(here, one))).to.not.equal(networkOf(text(there, one)))
      }),
    )
  })
})

describe('the address taken from X-Forwarded-For', () => {
  const SPOOFED = '198.51.100.66'
  const RULES: ReadonlyArray<[proxies: number, forwarded: string | undefined, believed: string]> = [
    [0, undefined, '203.0.113.9'],
    [0, '192.0.2.1', '203.0.113.9'],
    [0, '192.0.2.1, 192.0.2.2', '203.0.113.9'],
    [1, undefined, '203.0.113.9'],
    [1, '192.0.2.1', '192.0.2.1'],
    [1, `${SPOOFED}, 192.0.2.1`, '192.0.2.1'],
    [1, `${SPOOFED},${SPOOFED},${SPOOFED},192.0.2.1`, '192.0.2.1'],
    [1, ' 192.0.2.1 ', '192.0.2.1'],
    [1, '\t192.0.2.1\t', '192.0.2.1'],
    [1, '192.0.2.1, ', '192.0.2.1'],
    [1, `${SPOOFED}, 192.0.2.1,,`, '192.0.2.1'],
    [1, `${SPOOFED} 192.0.2.1`, '203.0.113.9'],
    [1, ',,,', '203.0.113.9'],
    [2, '192.0.2.1', '192.0.2.1'],
    [2, '192.0.2.1, 10.0.0.1', '192.0.2.1'],
    [2, `${SPOOFED}, 192.0.2.1, 10.0.0.1`, '192.0.2.1'],
    [2, `${SPOOFED}, garbage, 10.0.0.1`, '203.0.113.9'],
    [2, ', 10.0.0.1', '10.0.0.1'],
    [2, `${SPOOFED}, 192.0.2.1, , 10.0.0.1`, '192.0.2.1'],
    [3, '192.0.2.1, 10.0.0.1, 10.0.0.2', '192.0.2.1'],
    [16, `${`${SPOOFED}, `.repeat(500)}192.0.2.1, ${'10.0.0.1, '.repeat(14)}10.0.0.2`, '192.0.2.1'],
  ]
  for (const [proxies, forwarded, believed] of RULES) {
    const shown = JSON.stringify(forwarded)?.slice(0, 60)
    it(`is ${believed} behind ${proxies} proxies with ${shown}`, () => {
      expect(networkOf('203.0.113.9', forwarded, proxies)).to.equal(believed)
    })
  }

  it('ignores everything before the entries of the trusted proxies', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 16 }), (spoofed, proxies) => {
        const written = ['192.0.2.1', ...Array(proxies - 1).fill('10.0.0.1')].join(', ')
        expect(networkOf('203.0.113.9', `${spoofed}, ${written}`, proxies)).to.equal('192.0.2.1')
      }),
    )
  })
})
