/** A media type: `type/subtype` and the values of its `charset` parameters, all in lower case. */
export type MediaType = Readonly<{ type: string; charsets: ReadonlyArray<string> }>

/** The media type of a Content-Type header; undefined if the header violates the grammar (RFC 9110 §8.3.1). */
export const mediaTypeOf = (header: string): MediaType | undefined => {
  const [matched, type] = TYPE.exec(header) ?? []
  if (matched === undefined || type === undefined) return undefined
  const charsets: Array<string> = []
  const parameter = new RegExp(PARAMETER, 'y')
  parameter.lastIndex = matched.length
  while (parameter.lastIndex < header.length) {
    const found = parameter.exec(header)
    if (found === null) return undefined
    const [, name, token, quoted = ''] = found
    if (name?.toLowerCase() === 'charset')
      charsets.push((token ?? quoted.replace(ESCAPED, '$1')).toLowerCase())
  }
  return { type: type.toLowerCase(), charsets }
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"'
const TYPE = new RegExp(`^(${TOKEN}/${TOKEN})[ \\t]*`)

/** RFC 9110 §5.6.6. Matching takes linear time, because no text matches in two ways. */
const PARAMETER = `;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|${QUOTED})[ \\t]*)?(?=;|$)`

const ESCAPED = /\\(.)/g
