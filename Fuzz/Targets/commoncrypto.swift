import CommonCrypto
import CommonCryptoSPI
import Glibc

/// Calls CommonCrypto in any order with any sizes. A message in pieces has the result of the whole message, each
/// ciphertext decrypts, and no byte beyond the named buffers changes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var script = Script(bytes: Array(UnsafeRawBufferPointer(start: start, count: count))[...])
    switch script.byte() % 6 {
    case 0, 1: pieces(&script)
    case 2: wholeMessage(&script)
    case 3: digests(&script)
    case 4: authenticated(&script)
    default: keys(&script)
    }
    return 0
}

/// The instructions, byte by byte; zeros after their end.
private struct Script {
    var bytes: ArraySlice<UInt8>

    mutating func byte() -> Int { Int(bytes.popFirst() ?? 0) }

    /// Mostly small; now and then as long as a few thousand blocks.
    mutating func length() -> Int {
        let byte = byte()
        return byte < 240 ? byte : (byte - 239) * 4099 + self.byte()
    }

    mutating func data(_ count: Int) -> [UInt8] {
        let taken = bytes.prefix(count)
        bytes = bytes.dropFirst(count)
        // The rest follows from what there was: long messages need no long scripts.
        return (0..<count).map { $0 < taken.count ? taken[taken.startIndex + $0] : UInt8(truncatingIfNeeded: $0 &* 31) }
    }
}

/// Memory that ends at a page that is not to be touched.
private struct Room {
    private static let byteCount = 1 << 18

    let start: UnsafeMutableRawPointer
    let count: Int

    /// One for each use: inputs, outputs and keys do not meet in one.
    private nonisolated(unsafe) static let mappings: [UnsafeMutableRawPointer] = (0..<4).map { _ in
        let mapped = mmap(nil, byteCount + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED, mprotect(mapped + byteCount, 4096, PROT_NONE) == 0 else {
            preconditionFailure("no memory")
        }
        return mapped
    }

    enum Use: Int { case input, output, key, iv }

    init(_ use: Use, _ count: Int) {
        start = Self.mappings[use.rawValue] + (Self.byteCount - count)
        self.count = count
        // The bytes before it are checked at the end.
        memset(start - 32, 0xB5, 32)
    }

    init(_ use: Use, _ contents: [UInt8]) {
        self.init(use, contents.count)
        start.copyMemory(from: contents, byteCount: contents.count)
    }

    func contents(_ count: Int) -> [UInt8] {
        precondition(count <= self.count, "more than there is room for")
        precondition((-32..<0).allSatisfy { start.load(fromByteOffset: $0, as: UInt8.self) == 0xB5 }, "written before")
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}

/// A cipher as the script chooses it, right or wrong.
private struct Choice {
    let operation, mode, algorithm, padding: UInt32
    let key: [UInt8]
    let iv, tweak: [UInt8]?

    private static let modes = [
        kCCModeECB, kCCModeCBC, kCCModeCFB, kCCModeCTR, kCCModeOFB, kCCModeXTS, kCCModeRC4, kCCModeCFB8, kCCModeGCM,
    ]

    init(_ script: inout Script) {
        let (first, second) = (script.byte(), script.byte())
        operation = first >= 250 ? UInt32(script.byte()) : UInt32(first & 1)
        mode = second >= 250 ? UInt32(script.byte()) : UInt32(Self.modes[second % Self.modes.count])
        algorithm = UInt32(script.byte() % 9)
        padding = [0, 1, 12, 7][(first >> 1) % 4]
        let right = [16, 8, 24, 16, 16, 8, 16, 0, 0][Int(algorithm)]
        let wish = script.byte()
        key = script.data(wish < 128 ? right : wish < 160 ? [24, 32, 5, 9][wish % 4] : script.length())
        iv = first & 64 == 0 ? script.data(16) : nil
        tweak = first & 128 == 0 ? script.data(key.count) : nil
    }

    func cryptor() -> CCCryptorRef? {
        let (key, iv) = (Room(.key, key), iv.map { Room(.iv, $0) })
        var made = CCCryptorRef(bitPattern: 8)
        let status = CCCryptorCreateWithMode(
            operation, mode, algorithm, padding, iv?.start, key.start, key.count, tweak, tweak?.count ?? 0, 0, 0, &made)
        precondition((status == kCCSuccess) == (made != nil))
        return made
    }

    /// All that comes of a message: nil if it is refused.
    func atOnce(_ message: [UInt8]) -> [UInt8]? {
        guard let cryptor = cryptor() else { return nil }
        defer { CCCryptorRelease(cryptor) }
        var answer: [UInt8] = []
        var moved = 0
        let first = Room(.output, CCCryptorGetOutputLength(cryptor, message.count, false))
        guard
            CCCryptorUpdate(cryptor, Room(.input, message).start, message.count, first.start, first.count, &moved)
                == kCCSuccess
        else { return nil }
        answer += first.contents(moved)
        let last = Room(.output, CCCryptorGetOutputLength(cryptor, 0, true))
        guard CCCryptorFinal(cryptor, last.start, last.count, &moved) == kCCSuccess else { return nil }
        return answer + last.contents(moved)
    }
}

private func pieces(_ script: inout Script) {
    let choice = Choice(&script)
    guard let cryptor = choice.cryptor() else { return }
    defer { precondition(CCCryptorRelease(cryptor) == kCCSuccess) }
    var (given, taken): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<24 {
        var moved = 0
        switch script.byte() % 12 {
        case 0...5:
            let piece = script.data(script.length())
            let needed = CCCryptorGetOutputLength(cryptor, piece.count, false)
            if needed > 0, !piece.isEmpty {
                let status = CCCryptorUpdate(
                    cryptor, Room(.input, piece).start, piece.count, Room(.output, needed - 1).start, needed - 1, &moved
                )
                precondition(status == kCCBufferTooSmall && moved == needed)
            }
            // Somewhere else, or in the input's own memory, or so many bytes from it.
            let shift = script.byte()
            let output: Room
            let status: CCCryptorStatus
            if shift < 128 {
                output = Room(.output, needed)
                status = CCCryptorUpdate(
                    cryptor, Room(.input, piece).start, piece.count, output.start, needed, &moved)
            } else {
                let apart = shift % 40
                output = Room(.output, max(piece.count + apart, needed))
                (output.start + (shift < 192 ? apart : 0)).copyMemory(from: piece, byteCount: piece.count)
                guard shift < 192 || needed + apart <= output.count else { continue }
                let place = shift < 192 ? output.start : output.start + apart
                let input = shift < 192 ? output.start + apart : output.start
                status = CCCryptorUpdate(cryptor, input, piece.count, place, needed, &moved)
                if status == kCCSuccess {
                    given += piece
                    taken += Array(UnsafeRawBufferPointer(start: place, count: moved))
                    continue
                }
            }
            guard status == kCCSuccess else { continue }
            given += piece
            taken += output.contents(moved)
        case 6:
            precondition(CCCryptorUpdate(cryptor, nil, script.length() + 1, nil, .max, nil) != kCCSuccess)
        case 7:
            let iv = script.data(16)
            if CCCryptorReset(cryptor, iv) == kCCSuccess { return }
        case 8:
            _ = CCCryptorGetIV(cryptor, Room(.output, 16).start)
        case 9:
            // Units of a disk go both ways, and change nothing of a message.
            guard choice.mode == UInt32(kCCModeXTS), choice.algorithm == UInt32(kCCAlgorithmAES) else { continue }
            let (unit, tweak) = (script.data(16 + script.length()), script.data(16))
            let (output, back) = (Room(.output, unit.count), Room(.key, unit.count))
            precondition(
                CCCryptorEncryptDataBlock(cryptor, tweak, Room(.input, unit).start, unit.count, output.start)
                    == kCCSuccess)
            precondition(
                CCCryptorDecryptDataBlock(cryptor, tweak, output.start, unit.count, back.start) == kCCSuccess)
            precondition(back.contents(unit.count) == unit, "a unit does not come back")
        case 10:
            gcmStep(cryptor, &script)

        default:
            let room = Room(.output, CCCryptorGetOutputLength(cryptor, 0, true))
            if room.count > 0, choice.padding == 1, choice.operation == 0 {
                precondition(CCCryptorFinal(cryptor, room.start, room.count - 1, &moved) == kCCBufferTooSmall)
            }
            guard CCCryptorFinal(cryptor, room.start, room.count, &moved) == kCCSuccess else { continue }
            taken += room.contents(moved)
            guard choice.mode != UInt32(kCCModeGCM), choice.operation < 2 else { return }
            precondition(choice.atOnce(given) == taken, "in pieces it is something else")
            return
        }
    }
}

private func gcmStep(_ cryptor: CCCryptorRef, _ script: inout Script) {
    switch script.byte() % 6 {
    case 0:
        let iv = script.data(script.length())
        _ = CCCryptorGCMAddIV(cryptor, Room(.iv, iv).start, iv.count)
    case 1:
        let data = script.data(script.length())
        _ = CCCryptorGCMAddAAD(cryptor, Room(.input, data).start, data.count)
    case 2:
        let data = script.data(script.length())
        _ = CCCryptorGCMEncrypt(cryptor, Room(.input, data).start, data.count, Room(.output, data.count).start)
    case 3:
        var length = script.byte()
        _ = CCCryptorGCMFinal(cryptor, Room(.output, min(length, 16)).start, &length)
    case 4:
        let tag = Room(.output, script.byte() % 20)
        _ = CCCryptorGCMFinalize(cryptor, tag.start, tag.count)
    default:
        _ = CCCryptorGCMReset(cryptor)
    }
}

private func wholeMessage(_ script: inout Script) {
    let choice = Choice(&script)
    let options = UInt32(script.byte() & 3)
    let message = script.data(script.length())
    func crypt(_ operation: UInt32, _ message: [UInt8], _ room: Int) -> (CCCryptorStatus, [UInt8], Int) {
        let (input, output) = (Room(.input, message), Room(.output, room))
        let (key, iv) = (Room(.key, choice.key), choice.iv.map { Room(.iv, $0) })
        var moved = 0
        let status = CCCrypt(
            operation, choice.algorithm, options, key.start, key.count, iv?.start, input.start, message.count,
            output.start, room, &moved)
        return (status, status == kCCSuccess ? output.contents(moved) : [], moved)
    }
    let first = crypt(0, message, 0)
    guard first.0 == kCCSuccess || first.0 == kCCBufferTooSmall || first.0 == kCCAlignmentError else { return }
    if first.2 > 0, first.0 == kCCBufferTooSmall { precondition(crypt(0, message, first.2 - 1).0 == kCCBufferTooSmall) }
    let sealed = crypt(0, message, message.count + 16)
    // Any message is taken or refused as a whole.
    _ = crypt(1, message, message.count)
    guard sealed.0 == kCCSuccess else {
        precondition(sealed.0 == kCCAlignmentError && options & 1 == 0)
        return
    }
    let opened = crypt(1, sealed.1, sealed.1.count)
    precondition(opened.0 == kCCSuccess && opened.1 == message, "it does not come back")
}

private func digests(_ script: inout Script) {
    let message = script.data(script.length())
    let cuts = [min(script.length(), message.count), message.count]
    func check<Context>(
        _ context: Context, _ length: Int32,
        _ whole: (UnsafeRawPointer?, CC_LONG, UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?,
        _ start: (UnsafeMutablePointer<Context>?) -> Int32,
        _ update: (UnsafeMutablePointer<Context>?, UnsafeRawPointer?, CC_LONG) -> Int32,
        _ end: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Context>?) -> Int32
    ) {
        let (input, output) = (Room(.input, message), Room(.output, Int(length)))
        let first = output.start.assumingMemoryBound(to: UInt8.self)
        precondition(whole(input.start, CC_LONG(message.count), first) == first)
        let expected = output.contents(Int(length))
        var context = context
        precondition(start(&context) == 1 && update(&context, input.start, CC_LONG(cuts[0])) == 1)
        var copy = context
        precondition(update(&copy, input.start + cuts[0], CC_LONG(cuts[1] - cuts[0])) == 1 && end(first, &copy) == 1)
        precondition(output.contents(Int(length)) == expected, "in pieces it is something else")
        precondition(end(first, &context) == 1)
    }
    switch script.byte() % 8 {
    case 0: check(CC_MD2_CTX(), CC_MD2_DIGEST_LENGTH, CC_MD2, CC_MD2_Init, CC_MD2_Update, CC_MD2_Final)
    case 1: check(CC_MD4_CTX(), CC_MD4_DIGEST_LENGTH, CC_MD4, CC_MD4_Init, CC_MD4_Update, CC_MD4_Final)
    case 2: check(CC_MD5_CTX(), CC_MD5_DIGEST_LENGTH, CC_MD5, CC_MD5_Init, CC_MD5_Update, CC_MD5_Final)
    case 3: check(CC_SHA1_CTX(), CC_SHA1_DIGEST_LENGTH, CC_SHA1, CC_SHA1_Init, CC_SHA1_Update, CC_SHA1_Final)
    case 4:
        check(CC_SHA256_CTX(), CC_SHA224_DIGEST_LENGTH, CC_SHA224, CC_SHA224_Init, CC_SHA224_Update, CC_SHA224_Final)
    case 5:
        check(CC_SHA256_CTX(), CC_SHA256_DIGEST_LENGTH, CC_SHA256, CC_SHA256_Init, CC_SHA256_Update, CC_SHA256_Final)
    case 6:
        check(CC_SHA512_CTX(), CC_SHA384_DIGEST_LENGTH, CC_SHA384, CC_SHA384_Init, CC_SHA384_Update, CC_SHA384_Final)
    default:
        check(CC_SHA512_CTX(), CC_SHA512_DIGEST_LENGTH, CC_SHA512, CC_SHA512_Init, CC_SHA512_Update, CC_SHA512_Final)
    }
    // The same of a code, whose context may also be any bytes.
    let algorithm = UInt32(script.byte() % 7)
    let key = script.data(script.length())
    let (input, output) = (Room(.input, message), Room(.output, 64))
    CCHmac(algorithm, Room(.key, key).start, key.count, input.start, message.count, output.start)
    let expected = output.contents(64)
    var context = CCHmacContext()
    CCHmacInit(&context, algorithm, Room(.key, key).start, key.count)
    CCHmacUpdate(&context, input.start, cuts[0])
    CCHmacUpdate(&context, input.start + cuts[0], cuts[1] - cuts[0])
    CCHmacFinal(&context, output.start)
    precondition(output.contents(64) == expected, "in pieces the code is something else")
    let strange = script.data(MemoryLayout<CCHmacContext>.size)
    withUnsafeMutableBytes(of: &context) { $0.copyBytes(from: strange) }
    CCHmacUpdate(&context, input.start, message.count)
    CCHmacFinal(&context, output.start)
}

private func authenticated(_ script: inout Script) {
    let key = script.data([16, 24, 32, 5][script.byte() % 4])
    let (iv, associated) = (script.data(script.length()), script.data(script.length()))
    let message = script.data(script.length())
    let tagLength = script.byte() % 18
    let aes = UInt32(kCCAlgorithmAES)
    let (keyRoom, ivRoom) = (Room(.key, key), Room(.iv, iv))
    let sealed = Room(.output, message.count)
    var tag = [UInt8](repeating: 0, count: max(tagLength, 1))
    let status = CCCryptorGCMOneshotEncrypt(
        aes, keyRoom.start, key.count, ivRoom.start, iv.count, associated, associated.count,
        Room(.input, message).start, message.count, sealed.start, &tag, tagLength)
    let isRight = key.count > 5 && iv.count >= 12 && (8...16).contains(tagLength)
    precondition((status == kCCSuccess) == isRight)
    guard isRight else { return }
    func open() -> CCCryptorStatus {
        CCCryptorGCMOneshotDecrypt(
            aes, keyRoom.start, key.count, ivRoom.start, iv.count, associated, associated.count, sealed.start,
            message.count, Room(.input, message.count).start, tag, tagLength)
    }
    precondition(open() == kCCSuccess && Room(.input, message.count).contents(message.count) == message)
    let bit = script.byte()
    tag[bit % tagLength] ^= 1 << (bit % 8)
    precondition(open() == kCCUnspecifiedError, "a forged tag opens")
}

private func keys(_ script: inout Script) {
    let (kek, raw) = (script.data([16, 24, 32, 17][script.byte() % 4]), script.data(script.byte()))
    let algorithm = CCWrappingAlgorithm(kCCWRAPAES)
    let (key, input) = (Room(.key, kek), Room(.input, raw))
    let output = Room(.output, CCSymmetricWrappedSize(algorithm, raw.count))
    let (keyStart, inputStart) = (
        key.start.assumingMemoryBound(to: UInt8.self), input.start.assumingMemoryBound(to: UInt8.self)
    )
    let outputStart = output.start.assumingMemoryBound(to: UInt8.self)
    var length = output.count
    let status = CCSymmetricKeyWrap(
        algorithm, nil, 0, keyStart, kek.count, inputStart, raw.count, outputStart, &length)
    let isRight = kek.count != 17 && raw.count >= 16 && raw.count % 8 == 0
    precondition((status == kCCSuccess) == isRight && length == (isRight ? output.count : 0))
    if isRight {
        precondition(output.contents(length) != raw)
        length = raw.count
        let status = CCSymmetricKeyUnwrap(
            algorithm, nil, 0, keyStart, kek.count, outputStart, output.count, inputStart, &length)
        precondition(status == kCCSuccess && input.contents(length) == raw, "a wrapped key does not come back")
    }
    // Any bytes, which are not a wrapped key.
    length = CCSymmetricUnwrappedSize(algorithm, raw.count)
    let back = Room(.output, length)
    precondition(
        CCSymmetricKeyUnwrap(
            algorithm, nil, 0, keyStart, kek.count, Room(.input, raw).start.assumingMemoryBound(to: UInt8.self),
            raw.count, back.start.assumingMemoryBound(to: UInt8.self), &length) != kCCSuccess && length == 0)
    let (function, rounds) = (UInt32(script.byte() % 7), UInt32(script.byte() % 4))
    let (password, salt) = (script.data(script.byte()), script.data(script.byte()))
    let derived = Room(.output, script.byte())
    let answer = CCKeyDerivationPBKDF(
        CCPBKDFAlgorithm(kCCPBKDF2), Room(.input, password).start.assumingMemoryBound(to: CChar.self), password.count,
        Room(.iv, salt).start.assumingMemoryBound(to: UInt8.self), salt.count, function, rounds,
        derived.start.assumingMemoryBound(to: UInt8.self), derived.count)
    let isPossible = (1...5).contains(function) && rounds > 0 && derived.count > 0
    precondition((answer == kCCSuccess) == isPossible)
    _ = derived.contents(derived.count)
}
