import { expect } from 'chai'
import { expectRefusal, get, HEADERS_TOO_LARGE, NO_TOKEN, NOT_HTTP, talk } from './transport-talk.ts'

const NOTHING_HERE = 'Unknown path.'
const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

/** Paths match as sent. A path that a proxy in front could read differently is unknown here. */
describe('a target', () => {
  const { log, answerTo, lastAnswerTo } = talk()

  for (const target of [
    '//api/v1/profile',
    '///api/v1/profile',
    '/api//v1/profile',
    '/api/v1//profile',
    '/api/v1/profile//',
    '/api/v1/profile/',
    '/./api/v1/profile',
    '/api/v1/./profile',
    '/api/v1/profile/.',
    '/../api/v1/profile',
    '/x/../api/v1/profile',
    '/api/v1/profile/..',
    '/api/v1/profile/../profile',
    `/${'../'.repeat(5_000)}api/v1/profile`,
    '/%2e/api/v1/profile',
    '/%2e%2e/api/v1/profile',
    '/api/v1/%2e/profile',
    '/api/v1/x/%2E%2E/profile',
    '/%2fapi/v1/profile',
    '/%2Fapi%2Fv1%2Fprofile',
    '/api/v1%2fprofile',
    '/api/v1/profile%2f',
    '/%61pi/v1/profile',
    '/api/v1/%70rofile',
    '/api/v1/%50rofile',
    '/api/v1/p%72ofile',
    '/api/v1/profil%65',
    '/%25%36%31pi/v1/profile',
    '/api/v1/%u0070rofile',
    '/api/v1/%zzprofile',
    '/api/v1/profile%',
    '/api/v1/profile%0',
    '/api/v1/profile%00',
    '/api/v1/profile%09',
    '/api/v1/profile%20',
    '/api/v1/profile%0d%0aX:y',
    '/api/v1/profile%c0%af',
    '/api/v1/profile%ff',
    '/api/v1/profile%3f',
    '/api/v1/profile%23',
    '/api/v1/profile;',
    '/api/v1/profile;a=b',
    '/api;a=b/v1/profile',
    '/api/v1/profile&a=b',
    '/api/v1/profile#',
    '/api/v1/profile#?',
    '/#/api/v1/profile',
    '/\\api\\v1\\profile',
    '/api\\v1\\profile',
    '/api/v1/profile\\',
    '/api/v1/profile"',
    "/api/v1/profile'",
    '/api/v1/profile<>',
    '/api/v1/profile`',
    '/api/v1/profile{}',
    '/api/v1/profile|',
    '/api/v1/profile^',
    '/api/v1/profile+',
    '/api/v1/profile*',
    '/api/v1/*',
    '/api/v1/:x',
    '/api/v1/(.*)',
    '/api/v1/{profile}',
    '/api/v1/PROFILE',
    '/API/v1/profile',
    '/http://service.test/api/v1/profile',
    '//service.test/api/v1/profile',
    '//user@service.test/api/v1/profile',
    '/api/v1/profile.json',
    '/__proto__',
    '/constructor',
    '/toString',
    '/hasOwnProperty',
    '/.',
    '/..',
    '/%',
    `/${'a'.repeat(8 * 1024)}`,
    `/${'a/'.repeat(4 * 1024)}`,
    `/api/v1/profile/${'/'.repeat(8 * 1024)}`,
    `/${'%61'.repeat(4 * 1024)}`,
    '*',
  ]) {
    it(`is unknown: 404 for ${target.slice(0, 40)}`, async () => {
      expectRefusal(await answerTo(get(target)), 404, NOTHING_HERE)
    })
  }

  for (const [what, target] of [
    ['is empty', ''],
    ['is a name', 'api/v1/profile'],
    ['is a host and a port', 'service.test:80'],
    ['is a host and a path', 'service.test/api/v1/profile'],
    ['is a port and a path', 'service.test:80/api/v1/profile'],
    ['is a query', '?a=b'],
    ['is a fragment', '#a'],
    ['begins with a backslash', '\\api\\v1\\profile'],
    ['begins with two backslashes', '\\\\service.test\\api'],
    ['begins with a dot', './api/v1/profile'],
    ['begins with a percent sign', '%2fapi/v1/profile'],
    ['has a scheme without a host', 'http:/api/v1/profile'],
    ['has a scheme without a slash', 'http:api/v1/profile'],
    ['has no host by its scheme', 'mailto:ada@example.com'],
    ['is a script', 'javascript:alert(1)'],
    ['is data', 'data:,x'],
    ['has a fragment for a host', 'http://#/api/v1/profile'],
    ['has a backslash in its host', 'http://service.test\\/api/v1/profile'],
    ['has a space', '/api/v1/pro file'],
    ['has a tab', '/api/v1/profile\t'],
    ['has a vertical tab', '/api/v1/profile\v'],
    ['has U+0000 at the end', '/api/v1/profile\0'],
    ['has U+0000 in front', '/\0api/v1/profile'],
    ['has U+0000 in its query', '/api/v1/profile?\0'],
    ['has a space in its query', '/api/v1/profile? a'],
    ['has U+007F', '/api/v1/profile\x7f'],
    ['has an é in Latin-1', '/api/v1/profile\xe9'],
    ['has an é in UTF-8', utf8('/api/v1/profilé')],
    ['has an é in its query', utf8('/api/v1/profile?é')],
    ['has an emoji', utf8('/api/v1/profile💩')],
    ['has a mark that turns text around', utf8('/api/v1/profile\u202e')],
    ['has a full-width slash', utf8('/api／v1／profile')],
    ['has an overlong slash', '/api\xc0\xafv1/profile'],
  ] as const) {
    it(`is invalid and ends the connection when it ${what}: 400`, async () => {
      expectRefusal(await lastAnswerTo(get(target)), 400, NOT_HTTP)
    })
  }

  for (const target of [
    `/${'a'.repeat(17_000)}`,
    `/healthz?${'a'.repeat(17_000)}`,
    `http://${'a'.repeat(17_000)}/`,
  ]) {
    it(`above 16 KiB is 431: ${target.slice(0, 12)}…`, async () => {
      expectRefusal(await lastAnswerTo(get(target)), 431, HEADERS_TOO_LARGE)
    })
  }

  it('has a query that is neither read nor logged', async () => {
    const secret = 'query-canary'
    for (const query of [
      `access_token=${secret}`,
      `token=${secret}&token=${secret}`,
      `password=${secret}`,
      `__proto__[x]=${secret}`,
      `%zz=${secret}`,
      `/../${secret}`,
      `?#${secret}`,
      `//${secret}@service.test`,
      `http://${secret}`,
      `&&==;;${secret}`,
      secret.repeat(1_000),
    ]) {
      expectRefusal(await answerTo(get(`/api/v1/profile?${query}`)), 401, NO_TOKEN)
      expect((await answerTo(get(`/healthz?${query}`))).body).to.equal('{"status":"alive"}')
      expectRefusal(await answerTo(get(`/nothing?${query}`)), 404, NOTHING_HERE)
    }
    expect(log.length).to.be.above(30)
    expect(log.filter((line) => line.includes(secret))).to.deep.equal([])
  })
})
