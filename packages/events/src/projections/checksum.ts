/**
 * 53 bits over the code units of a text, as 14 hexadecimal digits: any damage changes them, but for one in some 10^15.
 * No proof against people, who can compute it too.
 *
 * @see https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js (public domain)
 */
export function checksum(text: string): string {
  let one = 0xdeadbeef;
  let other = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 2_654_435_761);
    other = Math.imul(other ^ unit, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return (2 ** 32 * (other & 0x1f_ffff) + (one >>> 0)).toString(16).padStart(14, '0');
}
