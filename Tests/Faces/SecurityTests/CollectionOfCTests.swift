import Foundation
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

@testable import Security

// Core Foundation's own functions, which make what a program of C passes.
@_silgen_name("CFDictionaryCreate")
private func madeDictionary(
    _ allocator: UnsafeRawPointer?, _ keys: UnsafeMutablePointer<UnsafeRawPointer>,
    _ values: UnsafeMutablePointer<UnsafeRawPointer>, _ count: Int, _ keyCallbacks: UnsafeRawPointer?,
    _ valueCallbacks: UnsafeRawPointer?
) -> UnsafeRawPointer
@_silgen_name("CFArrayCreate")
private func madeArray(
    _ allocator: UnsafeRawPointer?, _ values: UnsafeMutablePointer<UnsafeRawPointer>, _ count: Int,
    _ callbacks: UnsafeRawPointer?
) -> UnsafeRawPointer
@_silgen_name("CFUUIDCreateFromString")
private func madeIdentifier(_ allocator: UnsafeRawPointer?, _ text: UnsafeRawPointer) -> UnsafeRawPointer

@Suite("Collections and identifiers of C")
struct CollectionOfCTests {
    private func taken<Object: AnyObject>(_ address: UnsafeRawPointer, as type: Object.Type) throws -> Object {
        try #require(Unmanaged<AnyObject>.fromOpaque(address).takeRetainedValue() as? Object)
    }

    private func address(_ object: AnyObject) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }

    @Test("a dictionary whose keys are compared by address has all of its values, and so has a list in it")
    func withoutCallbacks() throws {
        let (key, first, second) = (NSString(string: "key"), NSString(string: "first"), NSNumber(value: 2))
        var elements = [address(first), address(second)]
        let list = try taken(madeArray(nil, &elements, 2, nil), as: NSArray.self)
        var (keys, values) = ([address(key)], [address(list)])
        let dictionary = try taken(madeDictionary(nil, &keys, &values, 1, nil, nil), as: NSDictionary.self)
        var translation = QueryTranslation()
        let pairs = withExtendedLifetime((key, first, second, list)) { translation.pairs(of: dictionary) }
        #expect(pairs == [QueryPair("key", .array([.string("first"), .integer(2)]))])
    }

    @Test("an identifier of C, which is of no class that has a name, is its text")
    func identifier() throws {
        let text = NSString(string: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        let identifier = try taken(madeIdentifier(nil, address(text)), as: AnyObject.self)
        #expect(!(identifier is NSUUID))
        var translation = QueryTranslation()
        let pairs = translation.pairs(of: NSDictionary(object: identifier, forKey: NSString(string: "key")))
        #expect(pairs == [QueryPair("key", .string(text as String))])
    }
}
