import * as E from 'fp-ts/lib/Either.js'

/** What the pages of an operator look like. */
export type Branding = Readonly<{
  /** CSS that comes after that of the service. */
  style: string
  /** A `data:` URL. */
  logo: string | undefined
}>

export const NO_BRANDING: Branding = { style: '', logo: undefined }

/** The files of a folder that are branding. A file is undefined if the folder does not have it. */
export const BRANDING_FILES = ['style.css', 'logo.svg', 'logo.png'] as const
export type BrandingFile = (typeof BRANDING_FILES)[number]

export const isBrandingFile = (name: string): name is BrandingFile =>
  BRANDING_FILES.some((file) => file === name)

/** The largest size of each file in bytes. */
export const BRANDING_BYTES: Readonly<Record<BrandingFile, number>> = {
  'style.css': 32_768,
  'logo.svg': 65_536,
  'logo.png': 65_536,
}

/**
 * Returns CSS as a page has it, or says what is wrong with it. Nothing in it may load, and nothing may end the element `style`.
 *
 * A browser makes a line feed of each line end before it hashes the element for the content security policy.
 */
export const styleIn = (css: string): E.Either<ReadonlyArray<string>, string> => {
  const plain = unescaped(css)
  // A comment joins nothing in CSS. But who reads a file should not have to know that.
  const texts = [plain, plain.replace(/\/\*.*?\*\//gs, '')]
  const problems = FORBIDDEN.filter(([pattern]) => texts.some((text) => pattern.test(text)))
  return css.includes('<') || problems.length > 0
    ? E.left([
        ...(css.includes('<') ? ['it must not have <'] : []),
        ...problems.map(([, problem]) => problem),
      ])
    : E.right(css.replace(/\r\n?|\f/g, '\n'))
}

const FORBIDDEN: ReadonlyArray<readonly [pattern: RegExp, problem: string]> = [
  [/@import/i, 'it must not have @import'],
  [/url\((?!\s*["']?data:)/i, 'url( must begin with data:'],
  [/(?:image-set|src)\(/i, 'it must not have image-set( or src('],
  [/(?![\t\n\f\r])\p{Cc}/u, 'it has control characters'],
]

/** CSS without escapes (CSS Syntax Level 3 §4.3.7): `u\72 l` is `url`. */
const unescaped = (css: string): string =>
  css.replace(
    /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(?:\r\n|[\r\n\f])|)/gi,
    (_, digits: string | undefined) => (digits === undefined ? '' : characterOf(Number.parseInt(digits, 16))),
  )

const characterOf = (point: number): string =>
  point === 0 || point > 0x10_ffff ? '\ufffd' : String.fromCodePoint(point)

/** Returns the `data:` URL of a logo, or undefined if the bytes are no such image. In `<img>`, an SVG runs no script and loads nothing. */
export const logoIn = (
  name: 'logo.svg' | 'logo.png',
  bytes: Buffer,
  text: string | undefined,
): string | undefined => {
  const isImage =
    name === 'logo.png' ? bytes.subarray(0, 8).equals(PNG) : text !== undefined && /<svg[\s>]/.test(text)
  const type = name === 'logo.png' ? 'image/png' : 'image/svg+xml'
  return isImage ? `data:${type};base64,${bytes.toString('base64')}` : undefined
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
