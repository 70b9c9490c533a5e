/** The lines of a text as bytes, without their ends (LF or CRLF) and a byte order mark. */
export function* linesOf(text: Buffer): Generator<Buffer> {
  let begin = text.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0
  while (begin < text.length) {
    const lineFeed = text.indexOf(LINE_FEED, begin)
    const end = lineFeed < 0 ? text.length : lineFeed
    yield text.subarray(begin, text[end - 1] === CARRIAGE_RETURN ? end - 1 : end)
    begin = end + 1
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
