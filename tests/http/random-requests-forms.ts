import * as fc from 'fast-check'

/** A part of a form with an unexpected value. `own` is the right value. */
const oddValue = (own: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      '',
      '+',
      '%',
      '%4',
      '%zz',
      '%00',
      '%FF',
      '%C3',
      '%C3%28',
      '%ED%A0%80',
      '%u0041',
      '\0',
      '\xff',
      '=',
    ),
    fc.constantFrom(
      `${own}%`,
      `${own}+`,
      `%20${own}`,
      `${own}%00`,
      `${own}\n`,
      `${own}=`,
      `${own}${own}`,
      `"${own}"`,
    ),
    fc.constantFrom(
      '%application%',
      '%introspectOnly%',
      '%ended%',
      '%stranger%',
      '%unsigned%',
      '%local%',
      '%dots%',
    ),
    fc.constantFrom('%recovery%', '%confirmation%', '%usedRecovery%', '%usedConfirmation%', '%lostRecovery%'),
    fc.constantFrom('%password%', '%email%', '%privateKey%', '%publicKey%', '%record%', '%huge%'),
    fc.nat(20_000).map((length) => own + 'x'.repeat(length)),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  )

/** The valid form. */
export const rightForm = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map((pair) => pair.join('='))
    .join('&')

/**
 * Any form: the valid one; one with a dropped, changed, repeated or escaped parameter; or one that is not
 * a form.
 */
export const formBody = (fields: Readonly<Record<string, string>>): fc.Arbitrary<string> => {
  const own = Object.entries(fields).map(([name, value]) => {
    const pair = `${name}=${value}`
    return fc.oneof(
      { withCrossShrink: true },
      { arbitrary: fc.constant(pair), weight: 3 },
      fc.constantFrom('', name, `=${value}`, `?${pair}`, `${pair}&${pair}`, `${name.toUpperCase()}=${value}`),
      fc.constant(`%${name.charCodeAt(0).toString(16)}${name.slice(1)}=${value}`),
      oddValue(value).map((odd) => `${name}=${odd}`),
      oddValue(value).map((odd) => `${pair}&${name}=${odd}`),
    )
  })
  const others = fc.constantFrom(
    '',
    'x=1',
    '__proto__=x',
    '%password%=x&%password%=y',
    '&'.repeat(40),
    '\xef\xbb\xbf',
  )
  const odd = fc.tuple(others, ...own).map((parts) => parts.filter((part) => part !== '').join('&'))
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(rightForm(fields)), weight: 5 },
    { arbitrary: odd, weight: 4 },
    fc.constantFrom('', '{}', 'null', JSON.stringify(fields), '<token>%user%</token>', '%user%'),
  )
}
