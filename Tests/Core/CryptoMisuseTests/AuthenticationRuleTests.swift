import LatchkeyCryptoMisuse
import Testing

@Suite("Rules about ciphertexts and their codes")
struct AuthenticationRuleTests {
    private let header: [UInt8] = [3, 1]
    private let ciphertext = [UInt8].drawn(64, seed: 40)

    @Test("hold a CBC ciphertext against a program until a code is made over it")
    func encryption() {
        var steps = Steps()
        steps.run(.cbc, to: ciphertext)
        #expect(steps.kinds == [])
        #expect(steps.unsettledSteps == [1])
        steps.authenticate([UInt8].random16 + ciphertext)
        steps.code()
        #expect(steps.unsettledSteps == [])
    }

    @Test("are content with header, IV and ciphertext in one piece, in many, and before the end of the cipher")
    func pieces() {
        let message = header + .random16 + ciphertext
        for size in [1, 7, 16, 33, message.count] {
            var steps = Steps()
            steps.start(.cbc)
            steps.take(.text)
            steps.give(ciphertext)
            for start in stride(from: 0, to: message.count, by: size) {
                steps.authenticate(Array(message[start..<min(start + size, message.count)]))
            }
            steps.end()
            steps.code()
            #expect(steps.unsettledSteps == [] && steps.kinds == [], "pieces of \(size)")
        }
    }

    @Test("find the ciphertext before a suffix, as digits and as Base64")
    func forms() {
        let hexadecimal = Array(
            ciphertext.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined().utf8)
        for count in [16, 32, 48, 64] {
            let part = Array(ciphertext.prefix(count))
            let base64 = Base64.text(part)
            let table: [(String, [UInt8])] = [
                ("length behind it", part + .drawn(8, seed: 1)), ("IV behind it", part + .random16),
                ("digits", Array(hexadecimal.prefix(2 * count))),
                (
                    "capital digits",
                    Array(String(decoding: hexadecimal.prefix(2 * count), as: UTF8.self).uppercased().utf8)
                ),
                ("Base64", Array(base64.utf8)),
                ("Base64 in JSON", Array("{\"value\":\"\(base64)\",\"tag\":\"\"}".utf8)),
                ("Base64 without padding", Array(base64.filter { $0 != "=" }.utf8)),
                (
                    "Base64 for addresses",
                    Array(base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.map(String.init).joined().utf8)
                ),
            ]
            for (name, input) in table {
                var steps = Steps()
                steps.run(.cbc, to: part)
                steps.authenticate(input)
                steps.code()
                #expect(steps.unsettledSteps == [], "\(name), \(count)")
            }
        }
    }

    @Test("are not content with a code over something else")
    func others() {
        let table: [(String, [UInt8])] = [
            ("the text", .text), ("nothing", []), ("the beginning of the ciphertext", Array(ciphertext.dropLast(16))),
            ("all but the last byte", Array(ciphertext.dropLast())), ("another", .drawn(64, seed: 41)),
        ]
        for (name, input) in table {
            var steps = Steps()
            steps.run(.cbc, to: ciphertext)
            steps.authenticate(input)
            steps.code()
            #expect(steps.unsettledSteps == [1], "\(name)")
        }
    }

    @Test("want the code before the text is there")
    func decryption() {
        var steps = Steps()
        steps.authenticate(header + .random16 + ciphertext)
        steps.code()
        steps.run(.cbc, isEncrypting: false, ciphertext, to: .text)
        #expect(steps.kinds == [])

        steps = Steps()
        steps.run(.cbc, isEncrypting: false, ciphertext, to: .text)
        #expect(steps.kinds == [.cbcWithoutAuthentication])
        #expect(steps.found.map(\.step) == [1])
        steps.authenticate(ciphertext)
        steps.code()
        #expect(steps.kinds == [.cbcWithoutAuthentication])
    }

    @Test("let a program decrypt piece by piece, and compute the code at the same time")
    func streamingDecryption() {
        for codeFirst in [true, false] {
            var steps = Steps()
            steps.authenticate(header + .random16)
            steps.start(.cbc, isEncrypting: false)
            for start in stride(from: 0, to: 64, by: 16) {
                let piece = Array(ciphertext[start..<(start + 16)])
                if codeFirst { steps.authenticate(piece) }
                steps.take(piece)
                steps.give(.random16)
                if !codeFirst { steps.authenticate(piece) }
            }
            steps.end()
            steps.code()
            #expect(steps.kinds == [])
        }
    }

    @Test("find a ciphertext anywhere in what was authenticated, however it is decrypted")
    func middles() {
        // One code over all, then decrypted in parts, each with the last block before it as its IV.
        let long = [UInt8].random16 + .drawn(4096, seed: 90)
        var steps = Steps()
        steps.authenticate(long)
        steps.code()
        for start in stride(from: 16, to: long.count, by: 1024) {
            let iv = Array(long[(start - 16)..<start])
            steps.run(.cbc, isEncrypting: false, iv: iv, Array(long[start..<(start + 1024)]), to: .text)
        }
        #expect(steps.kinds == [])

        // One code over two messages, in bytes and in Base64, written and read.
        let messages = [[UInt8].drawn(160, seed: 91), .drawn(320, seed: 92)]
        let document = [UInt8].random16 + messages[0] + .random16 + messages[1]
        for input in [document, Array(Base64.text(document).utf8)] {
            var steps = Steps()
            for (number, message) in messages.enumerated() {
                steps.run(.cbc, iv: .drawn(16, seed: UInt64(93 + number)), to: message)
            }
            steps.authenticate(input)
            steps.code()
            for message in messages { steps.run(.cbc, isEncrypting: false, message, to: .text) }
            #expect(steps.kinds == [] && steps.unsettledSteps == [])
        }

        // Many codes before anything is decrypted.
        steps = Steps()
        let many = (0..<700).map { [UInt8].drawn(304, seed: 1000 + UInt64($0)) }
        for message in many {
            steps.authenticate(message)
            steps.code()
        }
        for message in many { steps.run(.cbc, isEncrypting: false, message, to: .text) }
        #expect(steps.kinds == [])
        steps.run(.cbc, isEncrypting: false, ciphertext, to: .text)
        #expect(steps.kinds == [.cbcWithoutAuthentication], "it still tells what was not authenticated")
    }

    @Test("follow the context of a code that is copied to another address, and take up one that was abandoned")
    func movedContexts() {
        for cut in [1, 16, 40, 63] {
            var steps = Steps()
            steps.authenticate(.drawn(50, seed: 7), context: 8)
            steps.authenticate(Array(ciphertext.prefix(cut)), context: 9)
            // There lies what the first left.
            steps.authenticate(Array(ciphertext.dropFirst(cut)), context: 8)
            steps.code(context: 11)
            // Byte by byte, each at another address.
            let other = [UInt8].drawn(32, seed: UInt64(cut) + 500)
            for (place, byte) in other.enumerated() { steps.authenticate([byte], context: 20 + place) }
            steps.code(context: 11)
            steps.run(.cbc, isEncrypting: false, iv: .drawn(16, seed: 8), other, to: .text)
            steps.run(.cbc, isEncrypting: false, ciphertext, to: .text)
            #expect(steps.kinds == [], "\(cut)")
        }
    }

    @Test("end a message where its cryptor is reset")
    func reset() {
        var steps = Steps()
        for number in 0..<3 {
            steps.start(.cbc, iv: .drawn(16, seed: UInt64(60 + number)))
            steps.take(.text)
            steps.give(.drawn(32, seed: UInt64(50 + number)))
        }
        #expect(steps.unsettledSteps == [1, 4], "the third still goes on")
        steps.end()
        #expect(steps.unsettledSteps == [1, 4, 7])
        steps = Steps()
        steps.start(.cbc, isEncrypting: false)
        steps.take(ciphertext)
        steps.start(.cbc, isEncrypting: false)
        #expect(steps.kinds == [.cbcWithoutAuthentication])
        #expect(steps.found.map(\.step) == [1])
    }

    @Test("have room for new ciphertexts where a code came for the others")
    func sweeping() {
        var steps = Steps(remembering: 64)
        steps.run(.cbc, iv: .drawn(16, seed: 70), to: .drawn(32, seed: 71))
        for number in 0..<200 {
            let message = [UInt8].drawn(32, seed: 2000 + UInt64(number))
            steps.run(.cbc, iv: .drawn(16, seed: 3000 + UInt64(number)), to: message)
            steps.authenticate(message)
            steps.code()
        }
        #expect(steps.unsettledSteps == [1])
    }

    @Test("have nothing to say about other modes, empty messages and ciphers that nothing went through")
    func quiet() {
        for mode in [CipherUse.Mode.ctr, .gcm, .cfb] {
            var steps = Steps()
            steps.run(mode, to: ciphertext)
            steps.run(mode, isEncrypting: false, ciphertext)
            #expect(steps.kinds == [] && steps.unsettledSteps == [])
        }
        var steps = Steps()
        steps.start(.cbc)
        steps.end()
        steps.start(.cbc, isEncrypting: false)
        steps.end()
        #expect(steps.kinds == [] && steps.unsettledSteps == [])
    }

    @Test("settle each ciphertext by itself")
    func several() {
        var steps = Steps()
        for number in 0..<4 {
            steps.run(.cbc, iv: .drawn(16, seed: UInt64(60 + number)), to: .drawn(32, seed: UInt64(50 + number)))
        }
        steps.authenticate(.drawn(32, seed: 51))
        steps.code()
        #expect(steps.unsettledSteps == [1, 9, 13])
    }
}

/// Base64 by another hand than that of the rules.
private enum Base64 {
    static func text(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var bits = bytes.map { byte in
            let digits = String(byte, radix: 2)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
        while bits.count % 6 != 0 { bits += "0" }
        var text = ""
        while !bits.isEmpty {
            text.append(letters[Int(bits.prefix(6), radix: 2)!])
            bits.removeFirst(6)
        }
        while text.count % 4 != 0 { text += "=" }
        return text
    }
}
