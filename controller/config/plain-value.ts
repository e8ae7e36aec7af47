interface Readable {
  toJS(options: { maxAliasCount: number }): unknown;
}

/**
 * A YAML document as plain values. A few references to one another make a small file grow huge, so
 * none is taken.
 * @throws Error naming the file and saying so
 */
export const plainValue = (document: Readable, file: string): unknown => {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (cause) {
    throw new Error(`${file}: references (*name) are not taken; write the value out`, { cause });
  }
};
