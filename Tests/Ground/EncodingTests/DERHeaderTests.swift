import LatchkeyEncoding
import Testing

@Suite("Tag and length of DER")
struct DERHeaderTests {
    private static func read(_ bytes: [UInt8], limit: Int = 4) -> Result<DERHeader, DERHeader.Failure> {
        bytes.lend { bytes in
            do throws(DERHeader.Failure) {
                return .success(try DERHeader(bytes, lengthByteLimit: limit))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test(
        "are refused where they are no DER (X.690, 10.1), and where content is missing",
        arguments: [
            ([], .truncated), ([0x30], .truncated), ([0x04, 0x01], .truncated), ([0x04, 0x80, 0, 0], .badLength),
            ([0x04, 0x81], .truncated), ([0x04, 0x81, 0x7F], .badLength), ([0x04, 0x82, 0x00, 0x80], .badLength),
            ([0x04, 0x81, 0x80], .truncated), ([0x04, 0x85, 1, 0, 0, 0, 0], .badLength),
            ([0x04, 0xFF, 0, 0], .badLength),
            ([0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], .truncated),
        ] as [([UInt8], DERHeader.Failure)])
    func refused(_ bytes: [UInt8], _ failure: DERHeader.Failure) {
        #expect(Self.read(bytes) == .failure(failure))
    }

    @Test("are read as they were written", arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536, 1 << 24])
    func lengths(_ count: Int) throws {
        let head = DERHeader.bytes(DERTag.octetString, contentCount: count)
        let header = try Self.read(head + [UInt8](repeating: 7, count: count + 3)).get()
        #expect(header.tag == DERTag.octetString)
        #expect((header.count, header.contentCount) == (head.count, count))
        #expect(header.valueCount == head.count + count)
    }

    @Test("have as many bytes of length as the reader allows")
    func limit() throws {
        let head = DERHeader.bytes(DERTag.octetString, contentCount: 1 << 16)
        let value = head + [UInt8](repeating: 0, count: 1 << 16)
        #expect(Self.read(value, limit: 2) == .failure(.badLength))
        #expect(try Self.read(value, limit: 3).get().contentCount == 1 << 16)
    }
}
