import Foundation
import Glibc
import LatchkeyKeybag
import Testing

@testable import LatchkeyVolume

@Suite("Extended attributes on a volume")
struct ExtendedAttributeTests {
    private let stage: VolumeStage
    private var volume: Volume { stage.volume }

    init() throws {
        stage = try VolumeStage()
    }

    private func name(_ text: String) -> [UInt8] { Array("user.\(text)".utf8) }

    @Test("are kept with a file and a directory, and nothing of them shows in the store")
    func kept() throws {
        try volume.store("f")
        try volume.makeDirectory("d")
        let values: [String: [UInt8]] = [
            "diary": Array("dear diary".utf8), "empty": [], "bytes": [UInt8](0...255),
            "long": [UInt8](repeating: 7, count: 1500), String(repeating: "n", count: 140): [1],
        ]
        for path in ["f", "d"] {
            let number = try volume.number(path)
            for (name, value) in values {
                try volume.setExtendedAttribute(number, self.name(name), value, flags: 0)
            }
        }
        try stage.reopen()
        for path in ["f", "d"] {
            let number = try volume.number(path)
            #expect(Set(try volume.extendedAttributeNames(number)) == Set(values.keys.map(name)))
            for (name, value) in values {
                #expect(try volume.extendedAttribute(number, self.name(name)) == value)
            }
            let stored = try stage.stored(path)
            for name in try StoredFile.attributeNames(stored) {
                #expect(!name.contains("diary"))
                #expect(Data(try StoredFile.attribute(stored, name)).range(of: Data("diary".utf8)) == nil)
            }
            try volume.removeExtendedAttribute(number, name("diary"))
            #expect(throws: VolumeFailure(ENODATA)) { try volume.extendedAttribute(number, name("diary")) }
            #expect(throws: VolumeFailure(ENODATA)) { try volume.removeExtendedAttribute(number, name("diary")) }
        }
    }

    @Test("are made and replaced as the flags say, and refused where Linux refuses them")
    func flags() throws {
        let number = try volume.store("f")
        #expect(throws: VolumeFailure(ENODATA)) {
            try volume.setExtendedAttribute(number, name("a"), [1], flags: 2)
        }
        try volume.setExtendedAttribute(number, name("a"), [1], flags: 1)
        #expect(throws: VolumeFailure(EEXIST)) {
            try volume.setExtendedAttribute(number, name("a"), [2], flags: 1)
        }
        try volume.setExtendedAttribute(number, name("a"), [3], flags: 2)
        #expect(try volume.extendedAttribute(number, name("a")) == [3])
        for other in ["security.capability", "system.posix_acl_access", "trusted.a", "user.", "a"] {
            #expect(throws: VolumeFailure(EOPNOTSUPP)) {
                try volume.setExtendedAttribute(number, Array(other.utf8), [1], flags: 0)
            }
        }
        #expect(throws: VolumeFailure(ERANGE)) {
            try volume.setExtendedAttribute(number, name(String(repeating: "n", count: 250)), [1], flags: 0)
        }
        let link = try volume.makeLink(Volume.rootNumber, EntryName([108]), to: [97], by: Volume.caller).node.number
        #expect(throws: VolumeFailure(EPERM)) { try volume.setExtendedAttribute(link, name("a"), [1], flags: 0) }
        #expect(throws: VolumeFailure(ENODATA)) { try volume.extendedAttribute(link, name("a")) }
        #expect(try volume.extendedAttributeNames(link) == [])
    }

    @Test("of another file, under another name, or altered, are refused")
    func swapped() throws {
        for path in ["one", "two"] {
            let number = try volume.store(path)
            try volume.setExtendedAttribute(number, name("a"), Array("a of \(path)".utf8), flags: 0)
            try volume.setExtendedAttribute(number, name("b"), Array("b of \(path)".utf8), flags: 0)
        }
        let (one, two) = (try stage.stored("one"), try stage.stored("two"))
        let prefix = Volume.storedAttributePrefix
        let ones = try StoredFile.attributeNames(one).filter { $0.hasPrefix(prefix) }
        let twos = try StoredFile.attributeNames(two).filter { $0.hasPrefix(prefix) }
        #expect(Set(ones).isDisjoint(with: twos))
        // One's values under two's names; two's own values are lost.
        for (own, foreign) in zip(twos, ones) {
            let value = try StoredFile.attribute(one, foreign)
            try StoredFile.setAttribute(two, own, value)
        }
        let number = try volume.number("two")
        for letter in ["a", "b"] {
            #expect(throws: VolumeFailure(EIO)) { try volume.extendedAttribute(number, name(letter)) }
        }
        // One's own values change places.
        let values = try ones.map { try StoredFile.attribute(one, $0) }
        for (name, value) in zip(ones, values.reversed()) {
            try StoredFile.setAttribute(one, name, value)
        }
        let first = try volume.number("one")
        for letter in ["a", "b"] {
            #expect(throws: VolumeFailure(EIO)) { try volume.extendedAttribute(first, name(letter)) }
        }
        // A foreign name is not listed, and no value is too short.
        for (index, name) in ones.enumerated() {
            try StoredFile.setAttribute(two, name, [UInt8](repeating: 1, count: index))
        }
        #expect(Set(try volume.extendedAttributeNames(number)) == [name("a"), name("b")])
        for count in 0..<34 {
            try StoredFile.setAttribute(one, ones[0], Array(values[0].prefix(count)))
            for letter in ["a", "b"] {
                #expect(throws: VolumeFailure(EIO)) { try volume.extendedAttribute(first, name(letter)) }
            }
        }
    }

    @Test("show and set the class of a file, and of what is made in a directory")
    func classes() throws {
        let protectionName = name("latchkey.protection")
        let file = try volume.store("f")
        #expect(
            try volume.extendedAttribute(file, protectionName)
                == Array(FileProtection.completeUntilFirstUserAuthentication.rawValue.utf8))
        for protection in [FileProtection.complete, .completeUnlessOpen, .none, .completeUntilFirstUserAuthentication] {
            try volume.setExtendedAttribute(file, protectionName, Array(protection.rawValue.utf8), flags: 0)
            #expect(try volume.extendedAttribute(file, protectionName) == Array(protection.rawValue.utf8))
        }
        #expect(try volume.extendedAttributeNames(file) == [], "a copy with all attributes gets its own class")
        #expect(throws: VolumeFailure(EPERM)) { try volume.removeExtendedAttribute(file, protectionName) }
        for value in ["", "NSFileProtection", "complete", "NSFileProtectionComplete\0"] {
            #expect(throws: VolumeFailure(EINVAL)) {
                try volume.setExtendedAttribute(file, protectionName, Array(value.utf8), flags: 0)
            }
        }
        let directory = try volume.makeDirectory("d")
        #expect(throws: VolumeFailure(ENODATA)) { try volume.extendedAttribute(directory, protectionName) }
        try volume.setExtendedAttribute(
            directory, protectionName, Array(FileProtection.complete.rawValue.utf8), flags: 0)
        try volume.makeDirectory("d/below")
        try volume.store("d/below/f")
        try stage.reopen()
        #expect(volume.protectionOf(try volume.number("d/below/f")) == .complete)
        let below = try volume.number("d/below")
        try volume.removeExtendedAttribute(below, protectionName)
        try volume.store("d/below/g")
        #expect(volume.protectionOf(try volume.number("d/below/g")) == .completeUntilFirstUserAuthentication)
        try volume.move("d/below/f", to: "f2")
        #expect(volume.protectionOf(try volume.number("f2")) == .complete, "a file keeps its class when it is moved")
    }
}
